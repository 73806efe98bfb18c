#pragma once

#include <string>

#include "holdfast/job.hpp"

namespace holdfast::cli {

/// The state as people read it: "running (lease expired)", "running (cancel requested)".
[[nodiscard]] std::string state_text(const JobRow& job);

/// Everything about a job, a line each. Nothing in it can drive a terminal.
[[nodiscard]] std::string job_text(const JobRow& job, const std::string& idempotency_key);

}  // namespace holdfast::cli
