#include "db/sqlite_session.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <string>

#include "base/fork.hpp"

namespace holdfast::db {

namespace {

/// A parameter that nothing uses is a mistake on the way from a statement to its caller.
void require_params(std::size_t needed, std::size_t given, std::string_view name) {
  if (needed == given) return;
  throw Error(Code::misuse,
              "the statement needs " + std::to_string(needed) + " parameters and got " +
                  std::to_string(given),
              std::string(name));
}

}  // namespace

SqliteSession::SqliteSession(::sqlite3* db) : db_(db), made_in_(base::fork_generation()) {
  if (db == nullptr) throw Error(Code::misuse, "there is no sqlite3 handle");
}

SqliteSession::~SqliteSession() {
  if (!forked()) return;
  for (auto& [statement, parts] : cache_) {
    parts.first.abandon();
    parts.then.abandon();
    parts.wide.abandon();
  }
}

bool SqliteSession::forked() const noexcept { return made_in_ != base::fork_generation(); }

std::int64_t SqliteSession::run(const Statement& statement, Params params, const RowSink& sink) {
  check_process();
  return run_prepared(prepared(statement), statement, params, sink);
}

std::int64_t SqliteSession::run_many(const Statement& statement, const Batch& batch,
                                     const RowSink& sink) {
  check_process();
  if (batch.empty()) return 0;
  Prepared& parts = prepared(statement);
  std::int64_t rows = 0;
  std::size_t index = 0;
  if (batch.size() >= statement.wide_rows && widen(parts, statement)) {
    require_params(parts.first.params_needed(), batch.columns().size(), statement.name);
    for (; batch.size() - index >= statement.wide_rows; index += statement.wide_rows) {
      rows += parts.wide.run(batch.rows(index, statement.wide_rows), sink);
    }
  }
  for (; index < batch.size(); ++index) {
    rows += run_prepared(parts, statement, batch.row(index), sink);
  }
  return rows;
}

std::int64_t SqliteSession::execute(std::string_view sql, Params params, const RowSink& sink) {
  check_process();
  SqliteStatement statement(db_, sql, {}, SqliteStatement::Life::once);
  if (!statement) throw Error(Code::misuse, "there is no statement to run");
  if (SqliteStatement(db_, sql, {}, SqliteStatement::Life::once)) {
    throw Error(Code::misuse, "execute runs one statement at a time");
  }
  require_params(statement.params_needed(), params.size(), {});
  return statement.run(params, sink);
}

void SqliteSession::script(std::string_view sql) {
  check_process();
  // One by one: a statement can be prepared only when the tables before it exist.
  while (SqliteStatement statement{db_, sql, {}, SqliteStatement::Life::once}) {
    statement.run({}, {});
  }
}

void SqliteSession::check_process() const {
  if (!forked()) return;
  throw Error(Code::forked, "this database was opened before fork(); open it in the child");
}

SqliteSession::Prepared& SqliteSession::prepared(const Statement& statement) {
  if (const auto found = cache_.find(&statement); found != cache_.end()) return found->second;
  std::string_view first = statement.sql;
  std::string_view then = statement.then;
  Prepared parts{{db_, first, statement.name, SqliteStatement::Life::cached}, {}, {}};
  if (!parts.first) throw Error(Code::internal, "empty statement", std::string(statement.name));
  if (!then.empty()) parts.then = {db_, then, statement.name, SqliteStatement::Life::cached};
  return cache_.emplace(&statement, std::move(parts)).first->second;
}

/// False when the caller has limited his handle to fewer parameters than the wide form has.
bool SqliteSession::widen(Prepared& parts, const Statement& statement) {
  if (parts.wide) return true;
  if (statement.wide.empty()) return false;
  const auto needed = parts.first.params_needed() * statement.wide_rows;
  const int limit = sqlite3_limit(db_, SQLITE_LIMIT_VARIABLE_NUMBER, -1);
  if (needed > static_cast<std::size_t>(std::max(limit, 0))) return false;
  std::string_view wide = statement.wide;
  parts.wide = {db_, wide, statement.name, SqliteStatement::Life::cached};
  return true;
}

std::int64_t SqliteSession::run_prepared(Prepared& parts, const Statement& statement, Params params,
                                         const RowSink& sink) {
  require_params(std::max(parts.first.params_needed(), parts.then.params_needed()), params.size(),
                 statement.name);
  if (!parts.then) return parts.first.run(params, sink);
  if (sqlite3_get_autocommit(db_) != 0) {
    throw Error(Code::misuse, "this statement has two parts and needs a transaction around it",
                std::string(statement.name));
  }
  const std::int64_t rows = parts.first.run(params, sink);
  if (rows > 0) parts.then.run(params, {});
  return rows;
}

}  // namespace holdfast::db
