#include "worker/ending.hpp"

#include <exception>
#include <string>
#include <utility>

namespace holdfast::worker {

using queue::Event;
using queue::Happened;

namespace {

Event event_of(Outcome::What what) {
  switch (what) {
    case Outcome::What::done: return Event::succeeded;
    case Outcome::What::snooze: return Event::snoozed;
    case Outcome::What::cancel: return Event::cancel_decided;
    case Outcome::What::quarantine: return Event::quarantine_decided;
    case Outcome::What::retry:
    case Outcome::What::deferred: break;
  }
  return Event::failed;
}

/// `lost` and `timeout` are ours to assign.
FailureClass assignable(FailureClass failure) {
  const bool ours = failure == FailureClass::lost || failure == FailureClass::timeout;
  return ours ? FailureClass::application : failure;
}

Happened thrown(Event event, FailureClass failure, std::string reason) {
  Happened happened;
  happened.event = event;
  happened.failure = failure;
  happened.reason = std::move(reason);
  return happened;
}

}  // namespace

std::optional<Happened> happened(Outcome outcome) {
  if (outcome.what == Outcome::What::deferred) return std::nullopt;
  Happened happened;
  happened.event = event_of(outcome.what);
  happened.failure = assignable(outcome.failure);
  happened.reason = std::move(outcome.reason);
  happened.delay = outcome.delay;
  return happened;
}

std::optional<Happened> call(const Handler& handler, Run& run) {
  try {
    return happened(handler(run));
  } catch (const Undecodable& error) {
    return thrown(Event::undecodable, FailureClass::data, error.what());
  } catch (const std::exception& error) {
    return thrown(Event::failed, FailureClass::application, error.what());
  } catch (...) {
    return thrown(Event::failed, FailureClass::application,
                  "the handler threw something that is no std::exception");
  }
}

}  // namespace holdfast::worker
