#pragma once

#include <cstdint>

namespace holdfast::base {

/// How many forks lie between this process and the one that first asked. Whoever remembers the
/// number can tell later whether it is still in the process that it was made in, for the price of
/// one load instead of a system call. Children made by a bare clone() are not seen. Any thread.
[[nodiscard]] std::uint64_t fork_generation() noexcept;

}  // namespace holdfast::base
