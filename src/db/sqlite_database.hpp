#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "db/connection.hpp"
#include "holdfast/clock.hpp"
#include "holdfast/store.hpp"

struct sqlite3;

namespace holdfast::db {

/// How long a statement waits for another writer before it throws Error(busy).
inline constexpr std::chrono::milliseconds busy_limit_default{30'000};

/// Opens a SQLite database file, made with mode 0600 if it is missing (its directory is not), or
/// with ":memory:" a database of its own in memory that lives as long as the answer and its
/// connections. Checks it once: throws Error(schema) for a file that is no database, `read_only`,
/// `durability`, or `storage` when it cannot be opened. `clock` must outlive the answer.
[[nodiscard]] std::shared_ptr<Database> open_sqlite(
    const std::string& path, Durability durability, const Clock& clock,
    std::chrono::milliseconds busy_limit = busy_limit_default);

/// Throws Error(durability) when `db` would lose committed work in a power loss and `durability`
/// is `full`; the text says which pragma mends it. Databases in memory pass. Changes nothing.
void check_durability(::sqlite3* db, Durability durability);

}  // namespace holdfast::db
