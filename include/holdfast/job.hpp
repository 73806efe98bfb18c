#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "holdfast/time.hpp"

namespace holdfast {

/// Identity of a job: 1 … 2^53-1, so that JavaScript can hold it.
using JobId = std::int64_t;

/// Where a job is in its life. Spelled out by the view all_jobs; no column stores it.
enum class JobState {
  scheduled,    ///< waiting, due later, never failed
  retrying,     ///< waiting, due later, has used an attempt
  ready,        ///< waiting, due
  running,      ///< belongs to a claim
  succeeded,    ///< final
  cancelled,    ///< final
  discarded,    ///< final: an operator gave up on a quarantined job
  quarantined,  ///< waits for a person
};
[[nodiscard]] std::string_view to_string(JobState state);
[[nodiscard]] std::optional<JobState> job_state(std::string_view name);

/// Why an attempt did not succeed. `lost` and `timeout` are assigned by Holdfast alone.
enum class FailureClass { application, external, data, lost, timeout };
[[nodiscard]] std::string_view to_string(FailureClass failure);
[[nodiscard]] std::optional<FailureClass> failure_class(std::string_view name);

/// What an enqueue does when its unique key is held by a live job of the same queue.
enum class OnConflict {
  keep,     ///< leave the live job as it is and answer its id
  replace,  ///< a waiting job becomes the new one, options and all, under its id; one that is
            ///< running runs again at once when its attempt has ended, with the new payload and its
            ///< own options, and must be of the same kind: else Error(invalid)
  reject,   ///< change nothing and answer `rejected` with the id
};

/// What may be said about a job beside what it does. Every field has a default that the table
/// supplies.
struct EnqueueOptions {
  std::string queue = "default";
  int priority = 5;                            ///< 0 first … 9 last
  std::optional<Time> run_at = {};             ///< not before; default: now, by the database
  std::optional<Duration> delay = {};          ///< instead of run_at: from the database's now
  std::optional<int> max_attempts = {};        ///< default: by kind, by queue, then 20
  std::optional<Duration> timeout = {};        ///< of one attempt; default: by kind, by queue, none
  std::string group = {};                      ///< tenant, customer or aggregate
  std::optional<std::string> unique_key = {};  ///< at most one live job per queue and key
  OnConflict on_conflict = OnConflict::keep;
  std::optional<std::string> headers = {};     ///< kept for the application, JSON by convention
  std::optional<std::string> message_id = {};  ///< kept for the application
  std::optional<std::string> trace = {};       ///< trace context of the enqueuer
};

/// A job to be: a kind (which handler), a payload (text, kept byte for byte) and options.
struct NewJob {
  std::string kind = {};
  std::string payload = {};
  EnqueueOptions options = {};
};

/// What an enqueue did.
struct Enqueued {
  enum class What { created, kept, replaced, rejected };
  JobId id = 0;
  What what = What::created;
};
[[nodiscard]] std::string_view to_string(Enqueued::What what);

/// A job as people and hooks see it.
struct JobRow {
  JobId id = 0;
  std::string queue = {};
  std::string kind = {};
  std::string payload = {};
  JobState state = JobState::ready;
  bool lease_expired = false;  ///< running, but its lease is past: about to be taken over
  int priority = 5;
  Time run_at = {};
  int attempt = 0;
  std::optional<int> max_attempts = {};
  std::optional<Duration> timeout = {};
  std::string group = {};
  std::optional<std::string> unique_key = {};
  std::optional<std::string> headers = {};
  std::optional<std::string> message_id = {};
  std::optional<std::string> trace = {};
  Time enqueued_at = {};
  std::int64_t fence = 0;
  std::optional<std::int64_t> claim_id = {};
  std::int64_t revision = 1;
  bool rearmed = false;  ///< runs again with a newer payload when this attempt ends
  bool cancel_requested = false;
  std::optional<JobId> replay_of = {};
  std::optional<Time> finished_at = {};    ///< final states and quarantine
  std::optional<std::string> worker = {};  ///< who runs it, or ran it last
  std::optional<std::string> last_error = {};
  std::optional<FailureClass> last_failure = {};
};

}  // namespace holdfast
