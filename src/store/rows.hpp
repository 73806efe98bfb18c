#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "holdfast/job.hpp"
#include "holdfast/session.hpp"
#include "holdfast/time.hpp"

namespace holdfast::store {

/// Times as the tables hold them.
[[nodiscard]] inline std::int64_t micros(Time time) { return time.time_since_epoch().count(); }
[[nodiscard]] inline Time time_at(std::int64_t micros) { return Time(Duration(micros)); }

[[nodiscard]] std::optional<std::int64_t> optional_integer(const Row& row, int column);
[[nodiscard]] std::optional<std::string> optional_text(const Row& row, int column);

/// An optional as a parameter: null when unset. The text must outlive the call it is used in.
[[nodiscard]] Value param(const std::optional<std::string>& text);
[[nodiscard]] Value param(const std::optional<std::int64_t>& number);

/// The 21 columns that every statement about whole jobs starts with, in this order: id, queue,
/// kind, payload, priority, run_at, attempt, max_attempts, timeout_ms, group_key, unique_key,
/// headers, message_id, trace, enqueued_at, fence, claim_id, revision, next_payload,
/// cancel_requested_at, replay_of.
inline constexpr int job_columns = 21;
[[nodiscard]] JobRow read_job(const Row& row);

/// Rows of find_live and list_live: the job, its lease's end and its worker.
[[nodiscard]] JobRow read_live(const Row& row, Time now);

/// Rows of find_quarantined and list_quarantined.
[[nodiscard]] JobRow read_quarantined(const Row& row);

/// Rows of find_finished and list_history.
[[nodiscard]] JobRow read_finished(const Row& row);

}  // namespace holdfast::store
