#include "store/rows.hpp"

#include "holdfast/error.hpp"

namespace holdfast::store {

namespace {

constexpr int first_extra = job_columns;

FailureClass failure_of(std::string_view name) {
  if (const auto failure = failure_class(name)) return *failure;
  throw Error(Code::internal, "unknown failure class in the database");
}

JobState final_state_of(std::string_view name) {
  if (const auto state = job_state(name)) return *state;
  throw Error(Code::internal, "unknown job state in the database");
}

}  // namespace

std::optional<std::int64_t> optional_integer(const Row& row, int column) {
  if (row.is_null(column)) return std::nullopt;
  return row.integer(column);
}

std::optional<std::string> optional_text(const Row& row, int column) {
  if (row.is_null(column)) return std::nullopt;
  return std::string(row.text(column));
}

Value param(const std::optional<std::string>& text) {
  if (!text) return null;
  return std::string_view(*text);
}

Value param(const std::optional<std::int64_t>& number) {
  if (!number) return null;
  return *number;
}

JobRow read_job(const Row& row) {
  JobRow job;
  job.id = row.integer(0);
  job.queue = row.text(1);
  job.kind = row.text(2);
  job.payload = row.text(3);
  job.priority = static_cast<int>(row.integer(4));
  job.run_at = time_at(row.integer(5));
  job.attempt = static_cast<int>(row.integer(6));
  if (const auto attempts = optional_integer(row, 7)) {
    job.max_attempts = static_cast<int>(*attempts);
  }
  if (const auto limit = optional_integer(row, 8)) job.timeout = std::chrono::milliseconds(*limit);
  job.group = row.text(9);
  job.unique_key = optional_text(row, 10);
  job.headers = optional_text(row, 11);
  job.message_id = optional_text(row, 12);
  job.trace = optional_text(row, 13);
  job.enqueued_at = time_at(row.integer(14));
  job.fence = row.integer(15);
  job.claim_id = optional_integer(row, 16);
  job.revision = row.integer(17);
  job.rearmed = !row.is_null(18);
  job.cancel_requested = !row.is_null(19);
  job.replay_of = optional_integer(row, 20);
  job.state = JobState::running;
  return job;
}

JobRow read_live(const Row& row, Time now) {
  JobRow job = read_job(row);
  if (job.claim_id) {
    const auto lease_until = optional_integer(row, first_extra);
    job.lease_expired = !lease_until || time_at(*lease_until) < now;
    job.worker = optional_text(row, first_extra + 1);
  } else if (job.run_at <= now) {
    job.state = JobState::ready;
  } else {
    job.state = job.attempt > 0 ? JobState::retrying : JobState::scheduled;
  }
  return job;
}

JobRow read_quarantined(const Row& row) {
  JobRow job = read_job(row);
  job.state = JobState::quarantined;
  job.finished_at = time_at(row.integer(first_extra));
  job.worker = optional_text(row, first_extra + 1);
  job.last_error = optional_text(row, first_extra + 2);
  job.last_failure = failure_of(row.text(first_extra + 3));
  return job;
}

JobRow read_finished(const Row& row) {
  JobRow job = read_job(row);
  job.finished_at = time_at(row.integer(first_extra));
  job.worker = optional_text(row, first_extra + 1);
  job.last_error = optional_text(row, first_extra + 2);
  job.state = final_state_of(row.text(first_extra + 3));
  return job;
}

}  // namespace holdfast::store
