#include "worker/watchdog.hpp"

#include <algorithm>
#include <string>

#include "worker/attempt.hpp"
#include "worker/context.hpp"

namespace holdfast::worker {

void abandon(Context& context, const std::vector<std::shared_ptr<Crew>>& crews,
             detail::Attempt& attempt, queue::Happened happened, bool replace) {
  if (!attempt.give_up(std::move(happened))) return;
  const JobId job = attempt.job().id;
  context.tally.abandoned(job);
  const bool let_go = std::any_of(crews.begin(), crews.end(),
                                  [&](const auto& crew) { return crew->let_go(attempt, replace); });
  if (!let_go) {  // it returned at this very moment
    context.tally.returned(job);
    return;
  }
  context.log.error("job " + std::to_string(job) + " (" + attempt.job().kind +
                    "): its handler does not return and was given up on");
}

void Watchdog::run(const std::stop_token& stop) {
  try {
    while (context_.watchdog_alarm.wait(stop)) step();
  } catch (...) {
    context_.fail(std::current_exception());
  }
}

void Watchdog::step() {
  const auto expiring = claims_.expiring(steady_now());
  for (const AttemptPtr& attempt : expiring) attempt->raise(detail::Attempt::Stop::lease);
  if (!expiring.empty()) {
    context_.log.warning("the leases of " + std::to_string(expiring.size()) +
                         " jobs could not be renewed in time: they were told to stop");
  }
  Steady next = claims_.next_expiry();
  for (const AttemptPtr& attempt : context_.floor.attempts()) {
    watch(*attempt);
    next = std::min(next, attempt->next_check());
  }
  context_.watchdog_alarm.set(next);
}

void Watchdog::watch(detail::Attempt& attempt) {
  switch (attempt.overdue(steady_now())) {
    case detail::Attempt::Overdue::no: return;
    case detail::Attempt::Overdue::stop: attempt.raise(detail::Attempt::Stop::timeout); return;
    case detail::Attempt::Overdue::give_up: give_up(attempt); return;
  }
}

void Watchdog::give_up(detail::Attempt& attempt) {
  queue::Happened happened;
  happened.event = queue::Event::timed_out;
  happened.failure = FailureClass::timeout;
  happened.reason = "its time limit was over, and its handler did not return when told to stop";
  const auto cap = static_cast<std::size_t>(context_.options.abandoned_max);
  const bool replace = context_.tally.stuck() < cap;
  if (!replace) {
    context_.log.error(
        "more handlers are stuck than abandoned_max allows: this worker goes on "
        "with a thread less");
  }
  abandon(context_, crews_, attempt, std::move(happened), replace);
}

}  // namespace holdfast::worker
