#include "db/sqlite_handle.hpp"

#include <sqlite3.h>

#include <string>
#include <utility>

#include "base/fork.hpp"
#include "db/sqlite_database.hpp"
#include "db/sqlite_error.hpp"
#include "db/sqlite_file.hpp"
#include "db/sqlite_statement.hpp"

namespace holdfast::db {

namespace {

int open_flags(const SqliteFile& file, SqliteHandle::Open how) {
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  if (file.in_memory) flags |= SQLITE_OPEN_URI;
  if (how == SqliteHandle::Open::create || file.in_memory) flags |= SQLITE_OPEN_CREATE;
  return flags;
}

void set(::sqlite3* db, const char* pragma) {
  if (sqlite3_exec(db, pragma, nullptr, nullptr, nullptr) != SQLITE_OK) throw error_of(db, "open");
}

/// The switch to WAL needs the file for a moment alone, and SQLite does not always ask the busy
/// handler on the way: several processes that open a new file together would fail.
std::string switch_to_wal(::sqlite3* db, std::chrono::milliseconds limit) {
  BusyWait wait(limit);
  wait.start();
  std::string mode;
  while (true) {
    try {
      std::string_view sql = "pragma journal_mode = wal";
      SqliteStatement(db, sql, "open", SqliteStatement::Life::once).run({}, [&](const Row& row) {
        mode = row.text(0);
      });
      return mode;
    } catch (const Error& error) {
      if (error.code() != Code::busy || !wait.pause()) throw;
    }
  }
}

void require_wal(::sqlite3* db, const SqliteFile& file) {
  const std::string mode = switch_to_wal(db, file.busy_limit);
  if (mode == "wal") return;
  throw Error(Code::durability, file.name + " cannot use a write-ahead log (journal_mode stays " +
                                    mode + "): keep it on a local disk");
}

}  // namespace

SqliteHandle::SqliteHandle(const SqliteFile& file, Open how)
    : wait_(std::make_unique<BusyWait>(file.busy_limit)), made_in_(base::fork_generation()) {
  const int result = sqlite3_open_v2(file.location.c_str(), &db_, open_flags(file, how), nullptr);
  try {
    if (db_ == nullptr) throw Error(Code::storage, "out of memory");
    if (result != SQLITE_OK) {
      const Error error = error_of(db_, "open");
      throw Error(error.code(),
                  file.name +
                      " cannot be opened: check that it is a file, and the permissions of "
                      "it and of its directory: " +
                      error.what(),
                  error.statement());
    }
    configure(file);
  } catch (...) {
    close();
    throw;
  }
}

SqliteHandle::SqliteHandle(SqliteHandle&& other) noexcept
    : wait_(std::move(other.wait_)),
      db_(std::exchange(other.db_, nullptr)),
      made_in_(other.made_in_) {}

SqliteHandle& SqliteHandle::operator=(SqliteHandle&& other) noexcept {
  std::swap(wait_, other.wait_);
  std::swap(db_, other.db_);
  std::swap(made_in_, other.made_in_);
  return *this;
}

void SqliteHandle::configure(const SqliteFile& file) {
  wait_->install(db_);
  set(db_, "pragma foreign_keys = off");
  set(db_, "pragma temp_store = memory");
  if (file.in_memory) return;
  // A file without write permission is opened all the same, silently for reading only.
  if (sqlite3_db_readonly(db_, "main") != 0) {
    throw Error(Code::read_only, file.name + " cannot be written: check the permissions of the " +
                                     "file and its directory");
  }
  require_wal(db_, file);
  const bool full = file.durability == Durability::full;
  set(db_, full ? "pragma synchronous = full" : "pragma synchronous = normal");
  check_durability(db_, file.durability);
  // A log that a long reader made grow is cut by the first commit after it has been copied.
  set(db_, "pragma journal_size_limit = 16777216");
}

void SqliteHandle::close() noexcept {
  if (db_ == nullptr) return;
  if (made_in_ == base::fork_generation()) {
    sqlite3_close_v2(db_);
  } else {
    // The handle is left as it is, and so is what it points to.
    static_cast<void>(wait_.release());
  }
  db_ = nullptr;
}

}  // namespace holdfast::db
