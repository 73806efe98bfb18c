#include "worker/attempt.hpp"

#include <utility>

#include "holdfast/error.hpp"
#include "worker/context.hpp"

namespace holdfast::detail {

using queue::Event;
using queue::Happened;
using worker::never;
using worker::Steady;
using worker::steady_now;

namespace {

constexpr std::string_view dropped_reason = "the settle handle was dropped without an answer";

Happened failed(std::string_view reason) {
  Happened happened;
  happened.event = Event::failed;
  happened.reason = reason;
  return happened;
}

Happened released(bool started, std::string reason) {
  Happened happened;
  happened.event = Event::released;
  happened.started = started;
  happened.reason = std::move(reason);
  return happened;
}

}  // namespace

Attempt::Attempt(std::shared_ptr<worker::Context> context, Claimed claimed)
    : context_(std::move(context)), claimed_(std::move(claimed)) {}

queue::Ending Attempt::ending(Happened happened) const {
  Time started_at = claimed_.claimed_at;
  {
    const std::lock_guard lock(mutex_);
    if (started_ > claimed_.claimed_steady) {
      started_at += std::chrono::duration_cast<Duration>(started_ - claimed_.claimed_steady);
    }
  }
  return {lease(), claimed_.job.kind, std::move(happened), started_at};
}

void Attempt::hand_in(Happened happened, bool written) const {
  context_->inbox.hand_in({ending(std::move(happened)), written});
}

bool Attempt::start() {
  {
    const std::lock_guard lock(mutex_);
    if (answered_ || stop_reason_ != Stop::none || place_ != Place::buffered) return false;
    place_ = Place::in_handler;
    started_ = steady_now();
  }
  context_->tally.started();
  if (claimed_.limit) context_->watchdog_alarm.set(next_check());
  return true;
}

bool Attempt::claim_answer() {
  const std::lock_guard lock(mutex_);
  return !std::exchange(answered_, true);
}

void Attempt::end_unstarted(Happened happened) {
  {
    const std::lock_guard lock(mutex_);
    place_ = Place::gone;
  }
  if (claim_answer()) hand_in(std::move(happened));
}

void Attempt::hand_back() { end_unstarted(released(false, "handed back before it was started")); }

void Attempt::returned(std::optional<Happened> happened) {
  bool answer = false;
  bool stays = false;
  {
    const std::lock_guard lock(mutex_);
    if (place_ != Place::in_handler) return;  // given up meanwhile
    if (!happened && !handle_taken_) {
      happened = failed("the handler returned deferred() without taking a settle handle");
    } else if (!happened && handle_dropped_) {
      happened = failed(dropped_reason);
    }
    stays = !happened && !answered_;
    place_ = stays ? Place::deferred : Place::gone;
    answer = happened && !std::exchange(answered_, true);
  }
  if (answer) hand_in(as_it_stands(*std::move(happened)));
  stays ? context_->floor.defer(*this) : context_->floor.leave(*this);
}

Settled Attempt::done_in(const std::function<void(Session&)>& effect) {
  {
    const std::lock_guard lock(mutex_);
    if (answered_) return completed_ ? Settled::already_settled : Settled::lease_lost;
  }
  Settled settled{};
  try {
    settled = context_->completions.complete(*context_, *this, effect);
  } catch (const Error& error) {
    const std::lock_guard lock(mutex_);
    in_doubt_ = in_doubt_ || error.code() == Code::in_doubt;
    throw;
  }
  {
    const std::lock_guard lock(mutex_);
    completed_ = settled != Settled::lease_lost;
    if (std::exchange(answered_, true)) return settled;
  }
  Happened happened;
  happened.event = Event::succeeded;
  context_->tally.ended(Event::succeeded,
                        completed_ ? queue::Settlement::settled : queue::Settlement::lease_lost);
  hand_in(std::move(happened), true);
  return settled;
}

void Attempt::take_handle() {
  const std::lock_guard lock(mutex_);
  if (handle_taken_) throw Error(Code::misuse, "the settle handle was taken already");
  handle_taken_ = true;
}

void Attempt::handle_settled(Happened happened) {
  bool answer = false;
  bool leaves = false;
  {
    const std::lock_guard lock(mutex_);
    answer = !std::exchange(answered_, true);
    leaves = place_ == Place::deferred;
    if (leaves) place_ = Place::gone;
  }
  if (answer) hand_in(as_it_stands(std::move(happened)));
  if (leaves) context_->floor.leave(*this);
}

void Attempt::handle_dropped() {
  {
    const std::lock_guard lock(mutex_);
    handle_dropped_ = true;
    if (place_ != Place::deferred) return;  // the handler's own outcome may still come
  }
  handle_settled(failed(dropped_reason));
}

void Attempt::raise(Stop why) {
  {
    const std::lock_guard lock(mutex_);
    if (stop_reason_ != Stop::none) return;
    stop_reason_ = why;
  }
  context_->stopper.tell(shared_from_this());
}

void Attempt::request_cancel() {
  cancel_requested_ = true;
  raise(Stop::cancel);
}

Steady Attempt::next_check() const {
  const std::lock_guard lock(mutex_);
  const bool runs = place_ == Place::in_handler || place_ == Place::deferred;
  if (!runs || !claimed_.limit) return never;
  const Steady limit = started_ + *claimed_.limit;
  return steady_now() < limit ? limit : limit + context_->options.timeout_grace;
}

Attempt::Overdue Attempt::overdue(Steady now) const {
  const std::lock_guard lock(mutex_);
  const bool runs = place_ == Place::in_handler || place_ == Place::deferred;
  if (!runs || !claimed_.limit || now < started_ + *claimed_.limit) return Overdue::no;
  const Steady last = started_ + *claimed_.limit + context_->options.timeout_grace;
  return now < last ? Overdue::stop : Overdue::give_up;
}

bool Attempt::give_up(Happened happened) {
  bool answer = false;
  bool in_handler = false;
  {
    const std::lock_guard lock(mutex_);
    if (place_ == Place::gone) return false;
    in_handler = place_ == Place::in_handler;
    place_ = Place::gone;
    answer = !std::exchange(answered_, true);
  }
  if (answer) hand_in(std::move(happened));
  context_->floor.leave(*this);
  return in_handler;
}

bool Attempt::open() const {
  const std::lock_guard lock(mutex_);
  return !answered_;
}

// A done() after a done_in whose commit is in doubt would complete the job without its effect, if
// that commit did not happen. As a failure it changes nothing if it did.
//
// A failure after the stop token was raised is most often the handler's way to obey it. It is told
// as what it is: a timeout, or an attempt handed back because its worker stops or lost its lease.
Happened Attempt::as_it_stands(Happened happened) const {
  const std::lock_guard lock(mutex_);
  if (happened.event == Event::succeeded && in_doubt_) {
    return failed("it is not known whether done_in has committed, so done() cannot be taken");
  }
  if (happened.event != Event::failed) return happened;
  switch (stop_reason_) {
    case Stop::timeout:
      happened.event = Event::timed_out;
      happened.failure = FailureClass::timeout;
      happened.reason = "its time limit was over: " + happened.reason;
      break;
    case Stop::lease: return released(true, "its lease ran out: " + happened.reason);
    case Stop::shutdown: return released(true, "its worker stopped: " + happened.reason);
    case Stop::none:
    case Stop::cancel: break;
  }
  return happened;
}

}  // namespace holdfast::detail
