#pragma once

#include <chrono>

#include "holdfast/time.hpp"

namespace holdfast {

/// Where time comes from. Everything in Holdfast that asks for the time asks a Clock, so that a
/// test can hand in one it moves by hand. Implementations are safe to call from any thread.
class Clock {
 public:
  virtual ~Clock() = default;

  /// Wall time: what is written to the database.
  [[nodiscard]] virtual Time now() const = 0;

  /// A time that never jumps: what intervals are measured with.
  [[nodiscard]] virtual std::chrono::steady_clock::time_point steady() const = 0;
};

/// The machine's own clock. Lives as long as the program.
[[nodiscard]] const Clock& system_clock();

}  // namespace holdfast
