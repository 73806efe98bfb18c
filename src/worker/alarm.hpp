#pragma once

#include <condition_variable>
#include <mutex>
#include <stop_token>

#include "worker/steady.hpp"

namespace holdfast::worker {

/// Wakes one thread at the earliest time that anybody asked for. Threads that ask for a later time
/// than the one set cost nothing: the woken thread looks again and sets the next.
class Alarm {
 public:
  /// Any thread.
  void set(Steady when);

  /// Waits for the time that is set, and clears it. False when `stop` was raised.
  [[nodiscard]] bool wait(const std::stop_token& stop);

 private:
  std::mutex mutex_;  // guards due_
  std::condition_variable_any changed_;
  Steady due_ = never;
};

}  // namespace holdfast::worker
