#pragma once

#include "db/connection.hpp"
#include "store/statements.hpp"

namespace holdfast::store {

/// Schema version found in a database, 0 without Holdfast tables, and the oldest program (by its
/// schema version) that may use it.
struct Found {
  int version = 0;
  int oldest_program = 0;
};
[[nodiscard]] Found found_version(Access access);

/// Throws Error(schema), with both versions in its text, unless this program can use the database.
void require_usable(const Found& found, const std::string& database);

/// Brings the schema to this program's version, each step in one transaction together with its
/// record. Safe to run from several processes at once: the others wait and find nothing to do. A
/// step that cannot get its locks within 2 s is rolled back and tried again for a minute. Killed at
/// any point it leaves whole steps only. Throws Error.
void migrate(db::Connection& connection, const StatementSet& sql, Time now);

}  // namespace holdfast::store
