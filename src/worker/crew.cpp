#include "worker/crew.hpp"

#include <algorithm>
#include <exception>
#include <system_error>

#include "worker/attempt.hpp"
#include "worker/context.hpp"
#include "worker/runner.hpp"

namespace holdfast::worker {

Crew::Crew(std::shared_ptr<Context> context, std::string name, int threads)
    : context_(std::move(context)),
      name_(std::move(name)),
      lane_(threads, context_->options.batch),
      threads_(threads) {}

void Crew::start() {
  for (int i = 0; i < threads_; ++i) seat_one();
}

void Crew::seat_one() {
  const std::lock_guard lock(mutex_);
  const SeatPtr seat = std::make_shared<Seat>();
  seat->thread = std::jthread(
      [self = shared_from_this(), seat](const std::stop_token& stop) { self->work(stop, seat); });
  seats_.push_back(seat);
}

void Crew::work(const std::stop_token& stop, const SeatPtr& seat) {
  try {
    run_jobs(stop, seat);
  } catch (...) {
    context_->fail(std::current_exception());
  }
}

void Crew::run_jobs(const std::stop_token& stop, const SeatPtr& seat) {
  for (;;) {
    if (lane_.buffered() == 0) context_->inbox.hurry();
    const std::optional<Lane::Taken> taken = lane_.take(stop);
    if (!taken) return;
    sit(seat, *taken);
    const std::optional<Duration> ran = run_attempt(*context_, taken->attempt);
    if (!stand(seat)) {
      context_->tally.returned(taken->attempt->job().id);
      return;  // it was given up on, and another thread has its place
    }
    lane_.done(taken->at, ran);
  }
}

void Crew::sit(const SeatPtr& seat, const Lane::Taken& taken) {
  const std::lock_guard lock(mutex_);
  seat->attempt = taken.attempt;
  seat->taken_at = taken.at;
}

bool Crew::stand(const SeatPtr& seat) {
  const std::lock_guard lock(mutex_);
  seat->attempt = nullptr;
  return std::find(seats_.begin(), seats_.end(), seat) != seats_.end();
}

bool Crew::let_go(const detail::Attempt& attempt, bool replace) {
  {
    const std::lock_guard lock(mutex_);
    const auto place = std::find_if(seats_.begin(), seats_.end(), [&](const SeatPtr& seat) {
      return seat->attempt.get() == &attempt;
    });
    if (place == seats_.end()) return false;
    (*place)->thread.detach();
    lane_.done((*place)->taken_at, std::nullopt);
    seats_.erase(place);
  }
  if (!replace) {
    lane_.shrink();
    return true;
  }
  try {
    seat_one();
  } catch (const std::system_error& error) {
    lane_.shrink();
    context_->log.error(std::string("a stuck thread could not be replaced: ") + error.what());
  }
  return true;
}

void Crew::close() {
  for (const AttemptPtr& attempt : lane_.close()) attempt->hand_back();
}

void Crew::join() {
  std::list<SeatPtr> seats;
  {
    const std::lock_guard lock(mutex_);
    seats = seats_;
  }
  for (const SeatPtr& seat : seats) {
    if (seat->thread.joinable()) seat->thread.join();
  }
  const std::lock_guard lock(mutex_);
  seats_.clear();
}

}  // namespace holdfast::worker
