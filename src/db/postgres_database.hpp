#pragma once

#include <memory>
#include <string>

#include "db/connection.hpp"
#include "holdfast/clock.hpp"
#include "holdfast/error.hpp"
#include "holdfast/store.hpp"

struct pg_conn;

namespace holdfast::db {

/// A PostgreSQL database as a place to open connections to. `conninfo` is libpq's: keywords or a
/// URI. Does not connect yet. `clock` measures intervals only and must outlive every connection.
/// `listen` leads to the same database past a pooler, for Database::watch; empty: there is none.
/// Throws Error(invalid) for a conninfo that libpq cannot read; the text never repeats it, because
/// it may hold a password.
[[nodiscard]] std::shared_ptr<Database> open_postgres(const std::string& conninfo,
                                                      Durability durability, const Clock& clock,
                                                      const std::string& listen = {});

/// Asks the server of a borrowed connection whether a commit on it survives a power loss (one round
/// trip). Throws Error(durability) with the mend when fsync or synchronous_commit is off and
/// `durability` is full; asks nothing when it is relaxed. Other errors: as of a PostgresSession.
void check_durability(::pg_conn* connection, Durability durability);

}  // namespace holdfast::db
