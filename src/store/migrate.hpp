#pragma once

#include <span>

#include "db/connection.hpp"
#include "holdfast/store.hpp"
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
/// step that cannot get its locks within half a second is rolled back, so that nobody waits behind
/// it for longer, and tried again; so is one whose connection ended, known or not to have
/// happened, on a new one. For a minute; then it throws Error. Killed at any point it leaves whole
/// steps only.
void migrate(db::Connection& connection, const StatementSet& sql, Time now,
             const MigrateOptions& options = {});

/// The same with other steps: what a later release would bring, for tests.
void migrate(db::Connection& connection, const StatementSet& sql, Time now,
             std::span<const MigrationText> steps, const MigrateOptions& options = {});

}  // namespace holdfast::store
