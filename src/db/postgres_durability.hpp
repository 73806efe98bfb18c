#pragma once

#include <string_view>

#include "holdfast/store.hpp"

namespace holdfast::db {

/// Throws Error(durability), with the mend, for a server that runs without fsync.
void require_fsync(std::string_view fsync, Durability durability);

/// True when commits would be answered before they are on disk and `durability` forbids that. All
/// settings but `off` wait for the local disk at least.
[[nodiscard]] bool needs_synchronous_commit(std::string_view setting, Durability durability);

}  // namespace holdfast::db
