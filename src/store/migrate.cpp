#include "store/migrate.hpp"

#include <chrono>
#include <string>
#include <thread>

#include "base/random.hpp"
#include "holdfast/error.hpp"
#include "holdfast/version.hpp"
#include "store/rows.hpp"

namespace holdfast::store {

namespace {

std::string program_name() {
  return "holdfast " + std::string(version) + " (schema " + std::to_string(schema_version) + ")";
}

/// One migrator at a time. On SQLite the write lock that begin() took is enough.
void take_turn(Access access) {
  if (access.sql.dialect() != Dialect::postgres) return;
  access.run(Sql::limit_lock_wait);
  const std::string lock = std::string(access.sql.schema()) + " migrations";
  access.run(Sql::lock_schema, {lock}, [](const Row&) {});
}

void apply(db::Connection& connection, Access access, const MigrationText& step, Time now) {
  connection.script(with_namespace(step.sql, access.sql.dialect(), access.sql.schema()));
  const std::string program(version);
  access.run(Sql::write_migration, {std::int64_t{step.version}, step.name, micros(now),
                                    std::string_view(program), std::int64_t{step.oldest_version}});
}

/// Every database has an origin for its idempotency keys from its first job on.
void first_origin(Access access, Time now) {
  const std::string origin = base::random_id();
  access.run(Sql::insert_origin, {std::int64_t{1}, origin, micros(now)});
}

void migrate_once(db::Connection& connection, const StatementSet& sql, Time now,
                  std::span<const MigrationText> steps, const MigrateOptions& options) {
  const Access access{connection, sql};
  db::Transaction transaction(connection);
  take_turn(access);
  const Found found = found_version(access);
  if (found.oldest_program > schema_version) require_usable(found, "this database");
  for (const MigrationText& step : steps) {
    if (step.version > found.version) apply(connection, access, step, now);
  }
  if (found.version == 0) first_origin(access, now);
  if (!options.wake_trigger && sql.dialect() == Dialect::postgres) {
    access.run(Sql::drop_wake_trigger);
  }
  transaction.commit_or_throw();
}

/// A step that happened is found and not repeated, so an unclear commit is safe to try again.
bool worth_another_try(Code code) {
  return code == Code::busy || code == Code::restart || code == Code::disconnected ||
         code == Code::in_doubt;
}

}  // namespace

Found found_version(Access access) {
  const std::string table =
      with_namespace("{ns}migrations", access.sql.dialect(), access.sql.schema());
  std::int64_t tables = 0;
  access.run(Sql::has_table, {table}, [&](const Row& row) { tables = row.integer(0); });
  Found found;
  if (tables == 0) return found;
  access.run(Sql::read_migrations, {}, [&](const Row& row) {
    found.version = static_cast<int>(optional_integer(row, 0).value_or(0));
    found.oldest_program = static_cast<int>(optional_integer(row, 1).value_or(0));
  });
  return found;
}

void require_usable(const Found& found, const std::string& database) {
  if (found.version == 0) {
    throw Error(
        Code::schema,
        database + " has no Holdfast tables: run `holdfast init` on it first, or Store::migrate()");
  }
  if (found.version < schema_version) {
    throw Error(Code::schema, database + " has schema " + std::to_string(found.version) + ", and " +
                                  program_name() + " needs " + std::to_string(schema_version) +
                                  ": run `holdfast migrate` on it first");
  }
  if (found.oldest_program > schema_version) {
    throw Error(Code::schema, database + " has schema " + std::to_string(found.version) +
                                  ", which needs a program of schema " +
                                  std::to_string(found.oldest_program) + " or later, and this is " +
                                  program_name() + ": install a newer Holdfast");
  }
}

void migrate(db::Connection& connection, const StatementSet& sql, Time now,
             const MigrateOptions& options) {
  migrate(connection, sql, now, migration_texts(sql.dialect()), options);
}

void migrate(db::Connection& connection, const StatementSet& sql, Time now,
             std::span<const MigrationText> steps, const MigrateOptions& options) {
  using namespace std::chrono_literals;
  const auto give_up = std::chrono::steady_clock::now() + 60s;
  while (true) {
    try {
      if (connection.broken()) connection.reconnect();
      return migrate_once(connection, sql, now, steps, options);
    } catch (const Error& error) {
      if (!worth_another_try(error.code())) throw;
      if (std::chrono::steady_clock::now() > give_up) throw;
    }
    std::this_thread::sleep_for(300ms);  // in which those who waited behind it get their turn
  }
}

}  // namespace holdfast::store
