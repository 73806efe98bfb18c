#pragma once

#include <cstdint>
#include <optional>

struct sqlite3;

namespace holdfast::db {

/// The commits of everybody on a WAL database, as its index in shared memory counts them. SQLite
/// documents that header (walformat.html, "The WAL-Index Header"); `pragma data_version` would tell
/// commits of this process's other connections for commits of a neighbour.
///
/// Asks SQLite's own mapping, and opens nothing. For the thread that uses `db`, while a transaction
/// is open on it or has just ended. Nothing for databases in memory.
[[nodiscard]] std::optional<std::uint32_t> commits_counted(::sqlite3* db) noexcept;

}  // namespace holdfast::db
