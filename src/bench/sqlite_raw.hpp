#pragma once

#include <sqlite3.h>

#include <string>
#include <utility>

namespace holdfast::bench {

/// A connection of a floor: WAL and FULL like Holdfast's own, and nothing around the C calls.
class SqliteRaw {
 public:
  explicit SqliteRaw(const std::string& file);
  ~SqliteRaw() { sqlite3_close_v2(db_); }
  SqliteRaw(const SqliteRaw&) = delete;
  SqliteRaw& operator=(const SqliteRaw&) = delete;

  void run(const char* sql);
  [[nodiscard]] ::sqlite3* handle() const noexcept { return db_; }

 private:
  ::sqlite3* db_ = nullptr;
};

/// A prepared statement. Must go before its connection.
class SqliteRawStatement {
 public:
  SqliteRawStatement(const SqliteRaw& raw, const char* sql);
  ~SqliteRawStatement() { sqlite3_finalize(statement_); }
  SqliteRawStatement(const SqliteRawStatement&) = delete;
  SqliteRawStatement& operator=(const SqliteRawStatement&) = delete;

  /// Borrows the text until the next bind.
  void bind(int index, const std::string& text) {
    sqlite3_bind_text(statement_, index, text.data(), static_cast<int>(text.size()), SQLITE_STATIC);
  }
  void bind(int index, sqlite3_int64 number) { sqlite3_bind_int64(statement_, index, number); }

  /// True while there are rows; starts over at the end.
  bool step();

  [[nodiscard]] sqlite3_int64 integer(int column) const {
    return sqlite3_column_int64(statement_, column);
  }
  [[nodiscard]] const unsigned char* text(int column) const {
    return sqlite3_column_text(statement_, column);
  }

 private:
  ::sqlite3_stmt* statement_ = nullptr;
};

}  // namespace holdfast::bench
