#include "worker/floor.hpp"

namespace holdfast::worker {

bool Floor::enter(const AttemptPtr& attempt, bool alone) {
  std::unique_lock lock(mutex_);
  const bool admitted = alone ? wait_alone(lock, attempt.get()) : wait_turn(lock);
  if (admitted) guests_.emplace(attempt.get(), Guest{attempt});
  return admitted;
}

bool Floor::wait_turn(std::unique_lock<std::mutex>& lock) {
  for (;;) {
    if (closed_) return false;
    if (suspect_ != nullptr && steady_now() < reserved_until_) {
      changed_.wait_until(lock, reserved_until_);
    } else if (deferred_ >= deferred_max_) {
      changed_.wait(lock);
    } else {
      return true;
    }
  }
}

bool Floor::wait_alone(std::unique_lock<std::mutex>& lock, const detail::Attempt* suspect) {
  suspect_ = suspect;
  reserved_until_ = steady_now() + bound_;
  changed_.wait_until(lock, reserved_until_, [&] { return closed_ || guests_.empty(); });
  reserved_until_ = steady_now() + bound_;
  if (closed_) suspect_ = nullptr;
  return !closed_;
}

void Floor::defer(const detail::Attempt& attempt) {
  const std::lock_guard lock(mutex_);
  const auto place = guests_.find(&attempt);
  if (place == guests_.end() || place->second.deferred) return;
  place->second.deferred = true;
  ++deferred_;
}

void Floor::leave(const detail::Attempt& attempt) {
  AttemptPtr last;  // let go after the lock: its end may run the application's destructors
  const std::lock_guard lock(mutex_);
  const auto place = guests_.find(&attempt);
  if (place == guests_.end()) return;
  if (place->second.deferred) --deferred_;
  last = std::move(place->second.attempt);
  guests_.erase(place);
  if (suspect_ == &attempt) suspect_ = nullptr;
  changed_.notify_all();
}

std::vector<AttemptPtr> Floor::attempts() const {
  const std::lock_guard lock(mutex_);
  std::vector<AttemptPtr> attempts;
  attempts.reserve(guests_.size());
  for (const auto& [key, guest] : guests_) attempts.push_back(guest.attempt);
  return attempts;
}

std::size_t Floor::size() const {
  const std::lock_guard lock(mutex_);
  return guests_.size();
}

std::size_t Floor::deferred() const {
  const std::lock_guard lock(mutex_);
  return deferred_;
}

bool Floor::reserved() const {
  const std::lock_guard lock(mutex_);
  return suspect_ != nullptr && steady_now() < reserved_until_;
}

void Floor::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  changed_.notify_all();
}

bool Floor::wait_empty(Steady until, const std::stop_token& interrupt) {
  std::unique_lock lock(mutex_);
  return changed_.wait_until(lock, interrupt, until, [&] { return guests_.empty(); });
}

}  // namespace holdfast::worker
