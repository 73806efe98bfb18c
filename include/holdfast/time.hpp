#pragma once

#include <chrono>

namespace holdfast {

/// A point in time as the database stores it: microseconds since 1970 UTC.
using Time = std::chrono::sys_time<std::chrono::microseconds>;

/// A length of time, microseconds.
using Duration = std::chrono::microseconds;

}  // namespace holdfast
