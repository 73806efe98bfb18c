#pragma once

#include <mutex>

#include "holdfast/clock.hpp"

namespace holdfast::test {

/// A clock that stands still until a test moves it. Any thread.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(Time start = Time{std::chrono::seconds{1'900'000'000}}) : wall_(start) {}

  [[nodiscard]] Time now() const override {
    const std::lock_guard lock(mutex_);
    return wall_;
  }
  [[nodiscard]] std::chrono::steady_clock::time_point steady() const override {
    const std::lock_guard lock(mutex_);
    return steady_;
  }

  /// Time passes.
  void advance(Duration by) {
    const std::lock_guard lock(mutex_);
    wall_ += by;
    steady_ += by;
  }

  /// Somebody sets the wall clock; no time passes.
  void jump(Duration by) {
    const std::lock_guard lock(mutex_);
    wall_ += by;
  }

 private:
  mutable std::mutex mutex_;  // guards all below
  Time wall_;
  std::chrono::steady_clock::time_point steady_{std::chrono::hours{1}};
};

}  // namespace holdfast::test
