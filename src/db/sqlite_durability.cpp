#include <sqlite3.h>

#include <string>
#include <string_view>

#include "db/sqlite_database.hpp"
#include "db/sqlite_statement.hpp"
#include "holdfast/error.hpp"

namespace holdfast::db {

namespace {

/// The levels of `pragma synchronous`: 0 off, 1 normal, 2 full, 3 extra.
constexpr std::int64_t synchronous_full = 2;

/// `:memory:` and temporary databases have no file name; shared ones live in the VFS "memdb".
bool in_memory(::sqlite3* db) {
  const char* file = sqlite3_db_filename(db, "main");
  if (file == nullptr || *file == '\0') return true;
  ::sqlite3_vfs* vfs = nullptr;
  sqlite3_file_control(db, "main", SQLITE_FCNTL_VFS_POINTER, &vfs);
  return vfs != nullptr && std::string_view(vfs->zName) == "memdb";
}

void read(::sqlite3* db, std::string_view pragma, const RowSink& sink) {
  SqliteStatement(db, pragma, "check_durability", SqliteStatement::Life::once).run({}, sink);
}

[[noreturn]] void refuse(const std::string& found, const std::string& mend) {
  throw Error(Code::durability, "this connection could lose committed work in a power loss (" +
                                    found + "): run `PRAGMA " + mend +
                                    "` on it first, or choose durability relaxed");
}

}  // namespace

void check_durability(::sqlite3* db, Durability durability) {
  if (durability == Durability::relaxed || in_memory(db)) return;
  std::int64_t level = 0;
  read(db, "pragma main.synchronous", [&](const Row& row) { level = row.integer(0); });
  std::string mode;
  read(db, "pragma main.journal_mode", [&](const Row& row) { mode = row.text(0); });
  if (mode != "wal") refuse("journal_mode is " + mode, "journal_mode=WAL");
  if (level < synchronous_full) {
    refuse("synchronous is " + std::string(level == 1 ? "NORMAL" : "OFF"), "synchronous=FULL");
  }
}

}  // namespace holdfast::db
