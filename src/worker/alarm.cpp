#include "worker/alarm.hpp"

namespace holdfast::worker {

void Alarm::set(Steady when) {
  const std::lock_guard lock(mutex_);
  if (when >= due_) return;
  due_ = when;
  changed_.notify_one();
}

bool Alarm::wait(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    const Steady due = due_;
    if (steady_now() >= due) {
      due_ = never;
      return true;
    }
    changed_.wait_until(lock, stop, due, [&] { return due_ < due; });
  }
  return false;
}

}  // namespace holdfast::worker
