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

bool SqliteCheckpoint::is_due() {
  return std::exchange(pages_, 0) >= pages_max && std::chrono::steady_clock::now() >= held_until_;
}

void SqliteCheckpoint::run(::sqlite3* db) {
  int in_log = 0;
  int copied = 0;
  sqlite3_wal_checkpoint_v2(db, "main", SQLITE_CHECKPOINT_PASSIVE, &in_log, &copied);
  // A few pages left are those of a commit meanwhile.
  const bool held = in_log - copied >= pages_max / 4;
  if (held) held_until_ = std::chrono::steady_clock::now() + held_pause;
}

}  // namespace holdfast::db
