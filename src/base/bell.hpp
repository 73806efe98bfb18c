#pragma once

#include <chrono>

namespace holdfast::base {

/// Wakes a thread that waits for a descriptor: a pipe to oneself. Throws std::system_error when
/// there is no descriptor left.
class Bell {
 public:
  Bell();
  ~Bell();
  Bell(const Bell&) = delete;
  Bell& operator=(const Bell&) = delete;

  /// Any thread. Rung twice it wakes once.
  void ring() noexcept;

  /// The thread that waits: the next ring wakes it again.
  void clear() noexcept;

  /// Can be read from while it is rung.
  [[nodiscard]] int descriptor() const noexcept { return reading_; }

 private:
  int reading_ = -1;
  int writing_ = -1;
};

/// Waits until one of two descriptors can be read, until `until` at most; -1 is a descriptor that
/// never can. May return early, as after a signal.
void wait_readable(int first, int second, std::chrono::steady_clock::time_point until);

}  // namespace holdfast::base
