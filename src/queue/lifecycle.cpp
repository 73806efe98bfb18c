#include "queue/lifecycle.hpp"

#include <algorithm>
#include <array>

namespace holdfast::queue {

namespace {

using std::chrono::minutes;

/// A rolling deploy shows new payloads to old workers for some minutes: three tries, about ten
/// minutes between the first and the last.
constexpr std::array<Duration, 2> undecodable_delays{minutes(1), minutes(9)};

/// The name of an end in the attempts table; success is told by history.
std::string_view outcome_of(Event event) {
  switch (event) {
    case Event::failed: return "failed";
    case Event::undecodable: return "undecodable";
    case Event::snoozed: return "snoozed";
    case Event::released: return "released";
    case Event::cancel_decided: return "cancelled";
    case Event::quarantine_decided: return "quarantined";
    case Event::timed_out: return "timeout";
    case Event::lost: return "lost";
    case Event::hook_failed: return "hook_failed";
    case Event::picked:
    case Event::succeeded: break;
  }
  return {};
}

std::optional<FailureClass> failure_of(const Happened& happened) {
  switch (happened.event) {
    case Event::failed:
    case Event::quarantine_decided:
    case Event::hook_failed: return happened.failure;
    case Event::undecodable: return FailureClass::data;
    case Event::timed_out: return FailureClass::timeout;
    case Event::lost: return FailureClass::lost;
    default: return std::nullopt;
  }
}

bool counts(Event event) { return event != Event::snoozed && event != Event::released; }

/// A change with what every end of an attempt has in common.
Change ending(const Facts& facts, const Happened& happened) {
  Change change;
  change.attempt = counts(happened.event) ? facts.attempt : std::max(0, facts.attempt - 1);
  change.run_at = facts.run_at;
  change.reason = happened.reason;
  change.failure = failure_of(happened);
  if (happened.event != Event::released || happened.started) {
    change.outcome = outcome_of(happened.event);
  }
  return change;
}

Change wait_until(Change change, Time run_at) {
  change.to = Change::To::wait;
  change.run_at = run_at;
  return change;
}

/// Makes the job final here, or leaves it for a process with the hooks: waiting with its budget
/// used up (or its cancel requested), due at once, so that the next pick finalises it.
Change finish(Change change, Change::To final, const Facts& facts, Time now) {
  if (facts.may_finish) {
    change.to = final;
    return change;
  }
  if (final == Change::To::quarantined) {
    change.attempt = std::max(change.attempt, facts.max_attempts);
  }
  change.mark_cancel = final == Change::To::cancelled && !facts.cancel_requested;
  return wait_until(std::move(change), now);
}

Change fail(Change change, const Facts& facts, Time now, Duration delay) {
  if (facts.attempt >= facts.max_attempts) {
    return finish(std::move(change), Change::To::quarantined, facts, now);
  }
  return wait_until(std::move(change), due(now, delay));
}

/// The first loss in a row is most often a deploy or a crash elsewhere: take over at once. From
/// the second on the job itself may be what kills its workers: back off.
Duration lost_delay(const Facts& facts, const RetryPolicy& policy, double random) {
  return facts.lost_before == 0 ? Duration::zero() : policy.delay(facts.lost_before, random);
}

Change rearm(Change change, Time now) {
  change.to = Change::To::rearm;
  change.run_at = now;
  return change;
}

Change decide_picked(const Facts& facts, Time now) {
  Change change;
  change.attempt = facts.attempt;
  change.run_at = facts.run_at;
  const bool ends = facts.cancel_requested || facts.attempt > facts.max_attempts;
  if (ends && facts.rearmed) return rearm(std::move(change), now);
  if (facts.cancel_requested) {
    change.attempt = std::max(0, facts.attempt - 1);
    return finish(std::move(change), Change::To::cancelled, facts, now);
  }
  if (facts.attempt > facts.max_attempts) {
    change.attempt = facts.attempt - 1;
    change.failure = FailureClass::application;
    change.reason = "attempts used up";
    return finish(std::move(change), Change::To::quarantined, facts, now);
  }
  return change;
}

Change decide_succeeded(const Facts& facts, Change change, Time now) {
  change.to = Change::To::succeeded;
  return facts.rearmed ? rearmed_after(std::move(change), now) : change;
}

Change decide_undecodable(const Facts& facts, Change change, Time now) {
  const auto tries = static_cast<std::size_t>(std::max(0, facts.undecodable_before));
  if (tries >= undecodable_delays.size()) {
    return finish(std::move(change), Change::To::quarantined, facts, now);
  }
  return fail(std::move(change), facts, now, undecodable_delays.at(tries));
}

}  // namespace

std::string_view to_string(Event event) {
  switch (event) {
    case Event::picked: return "picked";
    case Event::succeeded: return "succeeded";
    case Event::failed: return "failed";
    case Event::undecodable: return "undecodable";
    case Event::snoozed: return "snoozed";
    case Event::released: return "released";
    case Event::cancel_decided: return "cancel_decided";
    case Event::quarantine_decided: return "quarantine_decided";
    case Event::timed_out: return "timed_out";
    case Event::lost: return "lost";
    case Event::hook_failed: return "hook_failed";
  }
  return "unknown";
}

Time due(Time now, Duration delay) {
  if (delay >= run_at_max - now) return run_at_max;
  return std::max(now + delay, Time{});
}

Change rearmed_after(Change change, Time now) {
  change.archive = change.to == Change::To::succeeded;
  return rearm(std::move(change), now);
}

Change decide(const Facts& facts, const Happened& happened, Time now, const RetryPolicy& policy,
              double random) {
  if (happened.event == Event::picked) return decide_picked(facts, now);

  Change change = ending(facts, happened);
  if (happened.event == Event::succeeded) return decide_succeeded(facts, std::move(change), now);
  if (facts.rearmed) return rearm(std::move(change), now);
  if (happened.event == Event::hook_failed) {
    // Final as soon as its hook lets it: the budget reads as used up, so the next pick tries again.
    if (!facts.cancel_requested) change.attempt = std::max(facts.attempt, facts.max_attempts);
    return wait_until(std::move(change),
                      due(now, policy.delay(facts.hook_failures_before + 1, random)));
  }
  if (facts.cancel_requested || happened.event == Event::cancel_decided) {
    return finish(std::move(change), Change::To::cancelled, facts, now);
  }
  switch (happened.event) {
    case Event::snoozed:
      return wait_until(std::move(change), due(now, happened.delay.value_or(Duration::zero())));
    case Event::released: return wait_until(std::move(change), facts.run_at);
    case Event::quarantine_decided:
      return finish(std::move(change), Change::To::quarantined, facts, now);
    case Event::undecodable: return decide_undecodable(facts, std::move(change), now);
    case Event::lost: return fail(std::move(change), facts, now, lost_delay(facts, policy, random));
    default:
      return fail(std::move(change), facts, now,
                  happened.delay.value_or(policy.delay(facts.attempt, random)));
  }
}

}  // namespace holdfast::queue
