#pragma once

#include <string>

namespace holdfast::base {

/// 128 bits from the operating system as 32 lower-case hexadecimal digits: unique for all
/// purposes. Throws Error(internal) if the system has no random numbers. Any thread.
[[nodiscard]] std::string random_id();

/// A number in [0, 1) for jitter, not for secrets. Each thread has its own generator, seeded by the
/// operating system and seeded again in a forked child, so that parent and child do not step in
/// time.
[[nodiscard]] double random_unit();

}  // namespace holdfast::base
