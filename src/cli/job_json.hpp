#pragma once

#include "cli/output.hpp"
#include "holdfast/job.hpp"
#include "holdfast/store.hpp"

namespace holdfast::cli {

/// A job for programs. Numbers are exact (ids end at 2^53-1), times RFC 3339 with microseconds,
/// what is not set is null.
[[nodiscard]] Json to_json(const JobRow& job);

[[nodiscard]] Json to_json(const QueueStats& stats);

}  // namespace holdfast::cli
