#pragma once

#include <chrono>
#include <cstdint>

namespace holdfast::test {

/// From now on every fsync and fdatasync of this process takes so much longer: a disk that is slow,
/// as SQLite sees it.
void slow_syncs_down(std::chrono::milliseconds by);

/// How many have been slowed down: none means that SQLite syncs by other means, and a test that
/// counts on them tests nothing.
[[nodiscard]] std::int64_t slow_syncs();

}  // namespace holdfast::test
