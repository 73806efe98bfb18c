#pragma once

#include <chrono>

namespace holdfast::worker {

/// Times that never jump: what waits and leases are measured with in this process.
using Steady = std::chrono::steady_clock::time_point;

[[nodiscard]] inline Steady steady_now() { return std::chrono::steady_clock::now(); }

inline constexpr Steady never = Steady::max();

}  // namespace holdfast::worker
