#include "worker/stopper.hpp"

#include <utility>

#include "worker/attempt.hpp"

namespace holdfast::worker {

void Stopper::tell(AttemptPtr attempt) {
  const std::lock_guard lock(mutex_);
  waiting_.push_back(std::move(attempt));
  changed_.notify_all();
}

void Stopper::run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, stop, [&] { return !waiting_.empty(); })) {
    AttemptPtr attempt = std::move(waiting_.front());
    waiting_.pop_front();
    busy_ = true;
    lock.unlock();
    attempt->call_stop_callbacks();
    attempt.reset();
    lock.lock();
    busy_ = false;
    changed_.notify_all();
  }
}

bool Stopper::wait_idle(Steady until) {
  std::unique_lock lock(mutex_);
  return changed_.wait_until(lock, until, [&] { return waiting_.empty() && !busy_; });
}

}  // namespace holdfast::worker
