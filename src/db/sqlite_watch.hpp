#pragma once

#include <memory>

#include "db/watch.hpp"

struct sqlite3;

namespace holdfast::db {

/// Watches the file below `db` for commits of other connections. Null for a database in memory, and
/// where the system cannot watch files. Borrows `db`.
[[nodiscard]] std::unique_ptr<Watch> watch_sqlite(::sqlite3* db);

}  // namespace holdfast::db
