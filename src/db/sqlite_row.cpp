#include "db/sqlite_row.hpp"

#include <sqlite3.h>

#include <string>

#include "holdfast/error.hpp"

namespace holdfast::db {

namespace {

std::string_view type_name(int type) {
  switch (type) {
    case SQLITE_INTEGER: return "an integer";
    case SQLITE_FLOAT: return "a real";
    case SQLITE_TEXT: return "a text";
    case SQLITE_BLOB: return "a blob";
    default: return "null";
  }
}

}  // namespace

int SqliteRow::columns() const { return sqlite3_data_count(statement_); }

bool SqliteRow::is_null(int column) const { return type(column) == SQLITE_NULL; }

std::int64_t SqliteRow::integer(int column) const {
  if (type(column) != SQLITE_INTEGER) refuse(column, "an integer");
  return sqlite3_column_int64(statement_, column);
}

double SqliteRow::real(int column) const {
  const int stored = type(column);
  if (stored != SQLITE_FLOAT && stored != SQLITE_INTEGER) refuse(column, "a real");
  return sqlite3_column_double(statement_, column);
}

std::string_view SqliteRow::text(int column) const {
  if (type(column) != SQLITE_TEXT) refuse(column, "a text");
  const void* text = sqlite3_column_text(statement_, column);
  if (text == nullptr) throw Error(Code::storage, "out of memory", std::string(name_));
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
  return {static_cast<const char*>(text), size};
}

int SqliteRow::type(int column) const {
  if (column < 0 || column >= columns()) {
    throw Error(
        Code::internal,
        "column " + std::to_string(column) + " of a row that has " + std::to_string(columns()),
        std::string(name_));
  }
  return sqlite3_column_type(statement_, column);
}

void SqliteRow::refuse(int column, std::string_view wanted) const {
  throw Error(Code::internal,
              "column " + std::to_string(column) + " is " +
                  std::string(type_name(sqlite3_column_type(statement_, column))) + ", read as " +
                  std::string(wanted),
              std::string(name_));
}

}  // namespace holdfast::db
