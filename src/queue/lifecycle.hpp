#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "holdfast/job.hpp"
#include "holdfast/retry_policy.hpp"
#include "holdfast/time.hpp"

/// The one place that knows the arrows of a job's life. `decide` is pure: it reads facts that its
/// caller has locked, and answers what is to be written; SQL writes it under the lease's guard.
///
///   waiting ──picked──► running ──succeeded──► history
///      ▲                   │
///      ├── failed, lost, timed out, undecodable (attempt counted)
///      ├── snoozed, released (attempt given back)
///      ├── re-armed: whatever the end, a newer payload waits again with a new budget
///      └──────────────────┤
///                          ├──cancelled──► history
///                          └──attempts used up, can never succeed──► quarantine
///
/// Invariants:
///  1. A job that was re-armed never becomes final: the newer intent always runs.
///  2. An attempt is counted unless it was handed back without blame.
///  3. A request to cancel beats every end but success.
///  4. Only a process with the kind's hooks quarantines or cancels a job of a kind with hooks;
///     elsewhere the job waits in a shape that the next pick with hooks finalises. A success is
///     written by whoever ran it: in a rolling deploy a program that knows no hook yet has none to
///     run.
///  5. run_at never leaves the range that the table accepts.
namespace holdfast::queue {

/// What happened to a job or its attempt.
enum class Event {
  picked,              ///< claimed; may turn out to be final instead of startable
  succeeded,           ///< the handler is done
  failed,              ///< the handler failed, or threw
  undecodable,         ///< the payload could not be read by this program
  snoozed,             ///< the handler wants it later
  released,            ///< handed back without blame: shutdown
  cancel_decided,      ///< the handler says it is not wanted
  quarantine_decided,  ///< the handler says it can never succeed
  timed_out,           ///< the attempt's time limit is over
  lost,                ///< the lease ended without a word from its holder
  hook_failed,         ///< a terminal hook threw: not final yet
};
[[nodiscard]] std::string_view to_string(Event event);

/// What decide() looks at, besides the event.
struct Facts {
  int attempt = 0;        ///< of the claim, counted from 1
  int max_attempts = 20;  ///< the one that applies: job, kind, queue, default
  Time run_at = {};       ///< as it stands
  bool rearmed = false;
  bool cancel_requested = false;
  bool may_finish = true;  ///< no hooks, or they are here
  int lost_before = 0;     ///< attempts just before this one that were lost in a row
  int undecodable_before = 0;
  int hook_failures_before = 0;
};

/// The event and what came with it.
struct Happened {
  Event event = Event::succeeded;
  FailureClass failure = FailureClass::application;
  std::string reason = {};
  std::optional<Duration> delay = {};  ///< the handler's own, instead of the policy's
  bool started = true;                 ///< false: released before its handler was called
};

/// What is to be written.
struct Change {
  enum class To {
    start,        ///< nothing to write: run the handler
    wait,         ///< back to waiting, run_at and attempt as below
    rearm,        ///< back to waiting with the newer payload
    succeeded,    ///< into history
    cancelled,    ///< into history
    quarantined,  ///< into quarantine
  };
  To to = To::start;
  Time run_at = {};
  int attempt = 0;
  bool archive = false;           ///< rearm after success: the old revision gets its history row
  bool mark_cancel = false;       ///< wait: the next pick is to cancel it
  std::string_view outcome = {};  ///< for the attempts row; empty: none is written
  std::optional<FailureClass> failure = {};
  std::string reason = {};
};

/// `random` is uniform in [0, 1) and spreads the back-off.
[[nodiscard]] Change decide(const Facts& facts, const Happened& happened, Time now,
                            const RetryPolicy& policy, double random);

/// The same change after all for a job whose hook, run for this end, gave it a newer intent.
[[nodiscard]] Change rearmed_after(Change change, Time now);

/// The latest time that a job may be due.
inline constexpr Time run_at_max{Duration(253402300799999999)};

/// `now + delay`, kept within what the table accepts.
[[nodiscard]] Time due(Time now, Duration delay);

}  // namespace holdfast::queue
