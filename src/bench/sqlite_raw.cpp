#include "bench/sqlite_raw.hpp"

#include "holdfast/error.hpp"

namespace holdfast::bench {

namespace {

[[noreturn]] void throw_fault(::sqlite3* db) {
  throw Error(Code::storage, std::string("benchmark: ") + sqlite3_errmsg(db));
}

}  // namespace

SqliteRaw::SqliteRaw(const std::string& file) {
  if (sqlite3_open(file.c_str(), &db_) != SQLITE_OK) {
    const Error error(Code::storage, std::string("benchmark: ") + sqlite3_errmsg(db_));
    sqlite3_close_v2(db_);
    throw error;
  }
  sqlite3_busy_timeout(db_, 30'000);
  run("pragma journal_mode = wal");
  run("pragma synchronous = full");
  run("pragma temp_store = memory");
}

void SqliteRaw::run(const char* sql) {
  if (sqlite3_exec(db_, sql, nullptr, nullptr, nullptr) != SQLITE_OK) throw_fault(db_);
}

SqliteRawStatement::SqliteRawStatement(const SqliteRaw& raw, const char* sql) {
  if (sqlite3_prepare_v3(raw.handle(), sql, -1, SQLITE_PREPARE_PERSISTENT, &statement_, nullptr) !=
      SQLITE_OK) {
    throw_fault(raw.handle());
  }
}

bool SqliteRawStatement::step() {
  const int result = sqlite3_step(statement_);
  if (result == SQLITE_ROW) return true;
  if (result != SQLITE_DONE) throw_fault(sqlite3_db_handle(statement_));
  sqlite3_reset(statement_);
  return false;
}

}  // namespace holdfast::bench
