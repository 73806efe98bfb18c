#include "db/sqlite_checkpoint.hpp"

#include <sqlite3.h>

#include <utility>

namespace holdfast::db {

namespace {

constexpr std::chrono::seconds held_pause{1};

int note_pages(void* pages, ::sqlite3* /*db*/, const char* /*schema*/, int in_log) noexcept {
  *static_cast<int*>(pages) = in_log;
  return SQLITE_OK;
}

}  // namespace

// The hook takes the place of SQLite's own checkpoints.
void SqliteCheckpoint::install(::sqlite3* db) { sqlite3_wal_hook(db, note_pages, &pages_); }

void SqliteCheckpoint::run_if_due(::sqlite3* db) {
  if (std::exchange(pages_, 0) < pages_max) return;
  const auto now = std::chrono::steady_clock::now();
  if (now < held_until_) return;
  int in_log = 0;
  int copied = 0;
  sqlite3_wal_checkpoint_v2(db, "main", SQLITE_CHECKPOINT_PASSIVE, &in_log, &copied);
  // A few pages left are those of a commit meanwhile.
  const bool held = in_log - copied >= pages_max / 4;
  held_until_ = held ? std::chrono::steady_clock::now() + held_pause : now;
}

}  // namespace holdfast::db
