#pragma once

#include <string_view>

#include "holdfast/session.hpp"

struct sqlite3_stmt;

namespace holdfast::db {

/// The row that a statement stands on. Refuses SQLite's silent conversions, so that a column that
/// is not what it should be is an error and never a zero.
class SqliteRow final : public Row {
 public:
  SqliteRow(::sqlite3_stmt* statement, std::string_view name)
      : statement_(statement), name_(name) {}

  [[nodiscard]] int columns() const override;
  [[nodiscard]] bool is_null(int column) const override;
  [[nodiscard]] std::int64_t integer(int column) const override;

  /// Integers are numbers too: SQLite stores a whole real as an integer where it can.
  [[nodiscard]] double real(int column) const override;
  [[nodiscard]] std::string_view text(int column) const override;

 private:
  [[nodiscard]] int type(int column) const;
  [[noreturn]] void refuse(int column, std::string_view wanted) const;

  ::sqlite3_stmt* statement_;
  std::string_view name_;
};

}  // namespace holdfast::db
