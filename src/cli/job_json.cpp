#include "cli/job_json.hpp"

#include <optional>
#include <string>

#include "cli/format.hpp"

namespace holdfast::cli {

namespace {

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json or_null(const std::optional<Time>& time) {
  return time ? Json(format_time(*time)) : Json(nullptr);
}

Json millis_or_null(const std::optional<Duration>& duration) {
  return duration ? Json(duration->count() / 1000) : Json(nullptr);
}

Json failure_or_null(const std::optional<FailureClass>& failure) {
  return failure ? Json(to_string(*failure)) : Json(nullptr);
}

}  // namespace

Json to_json(const JobRow& job) {
  return Json{
      {"id", job.id},
      {"queue", job.queue},
      {"kind", job.kind},
      {"state", to_string(job.state)},
      {"lease_expired", job.lease_expired},
      {"attempt", job.attempt},
      {"max_attempts", or_null(job.max_attempts)},
      {"fence", job.fence},
      {"claim_id", or_null(job.claim_id)},
      {"priority", job.priority},
      {"run_at", format_time(job.run_at)},
      {"timeout_ms", millis_or_null(job.timeout)},
      {"payload", job.payload},
      {"last_error", or_null(job.last_error)},
      {"last_failure", failure_or_null(job.last_failure)},
      {"unique_key", or_null(job.unique_key)},
      {"group", job.group},
      {"revision", job.revision},
      {"rearmed", job.rearmed},
      {"cancel_requested", job.cancel_requested},
      {"replay_of", or_null(job.replay_of)},
      {"headers", or_null(job.headers)},
      {"message_id", or_null(job.message_id)},
      {"trace", or_null(job.trace)},
      {"enqueued_at", format_time(job.enqueued_at)},
      {"finished_at", or_null(job.finished_at)},
      {"worker", or_null(job.worker)},
  };
}

Json to_json(const QueueStats& stats) {
  return Json{
      {"queue", stats.queue},
      {"scheduled", stats.scheduled},
      {"retrying", stats.retrying},
      {"ready", stats.ready},
      {"running", stats.running},
      {"succeeded", stats.succeeded},
      {"cancelled", stats.cancelled},
      {"discarded", stats.discarded},
      {"quarantined", stats.quarantined},
      {"oldest_runnable_age_seconds", stats.oldest_runnable_age_seconds},
  };
}

}  // namespace holdfast::cli
