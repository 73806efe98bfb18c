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
  for (auto& [statement, pair] : cache_) {
    pair.first.abandon();
    pair.then.abandon();
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
  Pair& pair = prepared(statement);
  std::int64_t rows = 0;
  for (std::size_t index = 0; index < batch.size(); ++index) {
    rows += run_prepared(pair, statement, batch.row(index), sink);
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

SqliteSession::Pair& SqliteSession::prepared(const Statement& statement) {
  if (const auto found = cache_.find(&statement); found != cache_.end()) return found->second;
  std::string_view first = statement.sql;
  std::string_view then = statement.then;
  Pair pair{{db_, first, statement.name, SqliteStatement::Life::cached}, {}};
  if (!pair.first) throw Error(Code::internal, "empty statement", std::string(statement.name));
  if (!then.empty()) pair.then = {db_, then, statement.name, SqliteStatement::Life::cached};
  return cache_.emplace(&statement, std::move(pair)).first->second;
}

std::int64_t SqliteSession::run_prepared(Pair& pair, const Statement& statement, Params params,
                                         const RowSink& sink) {
  require_params(std::max(pair.first.params_needed(), pair.then.params_needed()), params.size(),
                 statement.name);
  if (!pair.then) return pair.first.run(params, sink);
  if (sqlite3_get_autocommit(db_) != 0) {
    throw Error(Code::misuse, "this statement has two parts and needs a transaction around it",
                std::string(statement.name));
  }
  const std::int64_t rows = pair.first.run(params, sink);
  if (rows > 0) pair.then.run(params, {});
  return rows;
}

}  // namespace holdfast::db
