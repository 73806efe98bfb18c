#include "sqlite_catalogue.hpp"

#include <sqlite3.h>

#include <stdexcept>

#include "job.hpp"

namespace checksums {

namespace {

/// How long a statement of ours waits for another process's transaction.
constexpr int busy_timeout_ms = 10'000;

[[noreturn]] void fail(sqlite3* database, const std::string& what) {
  throw std::runtime_error(what + ": " + sqlite3_errmsg(database));
}

std::unique_ptr<sqlite3, int (*)(sqlite3*)> open(const std::string& file) {
  sqlite3* handle = nullptr;
  const int code = sqlite3_open(file.c_str(), &handle);
  std::unique_ptr<sqlite3, int (*)(sqlite3*)> database(handle, sqlite3_close);
  if (code != SQLITE_OK) fail(handle, "cannot open " + file);
  sqlite3_busy_timeout(handle, busy_timeout_ms);
  return database;
}

}  // namespace

SqliteCatalogue::SqliteCatalogue(const Place& place) : database_(open(place.sqlite_file())) {
  // A commit must survive a power loss; the outlet refuses a connection that would not keep it.
  rows("pragma journal_mode=wal");
  rows("pragma synchronous=full");
}

SqliteCatalogue::~SqliteCatalogue() {
  outlet_.reset();
  sqlite3_finalize(insert_);
}

void SqliteCatalogue::create_tables() {
  rows(
      "create table files (id integer primary key, path text not null, size integer not null, "
      "job integer not null unique)");
  rows(
      "create table effects (file_id integer not null, job integer not null, "
      "digest text not null, worker text not null, fence integer not null)");
}

void SqliteCatalogue::drop() {}

std::int64_t SqliteCatalogue::add(const FoundFile& file) {
  if (!outlet_) outlet_.emplace(database_.get());
  rows("begin immediate");
  try {
    const std::int64_t job = outlet_->enqueue(HashFile{file.path}).id;
    insert(file, job);
    rows("commit");
    return job;
  } catch (...) {
    sqlite3_exec(database_.get(), "rollback", nullptr, nullptr, nullptr);
    throw;
  }
}

void SqliteCatalogue::insert(const FoundFile& file, std::int64_t job) {
  if (insert_ == nullptr &&
      sqlite3_prepare_v2(database_.get(), "insert into files (path, size, job) values (?, ?, ?)",
                         -1, &insert_, nullptr) != SQLITE_OK) {
    fail(database_.get(), "files");
  }
  sqlite3_bind_text(insert_, 1, file.path.data(), static_cast<int>(file.path.size()),
                    SQLITE_TRANSIENT);
  sqlite3_bind_int64(insert_, 2, file.size_bytes);
  sqlite3_bind_int64(insert_, 3, job);
  const int code = sqlite3_step(insert_);
  sqlite3_reset(insert_);
  if (code != SQLITE_DONE) fail(database_.get(), "files");
}

Catalogue::Rows SqliteCatalogue::rows(const std::string& sql) {
  sqlite3_stmt* raw = nullptr;
  const int prepared = sqlite3_prepare_v2(database_.get(), sql.c_str(), -1, &raw, nullptr);
  const std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> statement(raw, sqlite3_finalize);
  if (prepared != SQLITE_OK) fail(database_.get(), sql);

  Rows rows;
  int code = SQLITE_ROW;
  while ((code = sqlite3_step(raw)) == SQLITE_ROW) {
    auto& row = rows.emplace_back();
    for (int column = 0; column < sqlite3_column_count(raw); ++column) {
      const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(raw, column));
      row.emplace_back(text == nullptr ? "" : text);
    }
  }
  if (code != SQLITE_DONE) fail(database_.get(), sql);
  return rows;
}

}  // namespace checksums
