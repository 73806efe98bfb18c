#pragma once

#include <map>
#include <string>

#include "store/embed/sql_text.hpp"

namespace holdfast::store::embed {

/// A statement of one dialect: its SQL and, on SQLite, the part that follows it, or the form that
/// inserts many rows at once; on PostgreSQL, how long its plan is good.
struct Form {
  Place place;
  std::string sql;
  std::string then;
  std::string wide;
  int wide_rows = 0;
  std::string plan = "fresh";
};

/// A statement as embedded. A form without SQL: that dialect does not have it.
struct NamedStatement {
  Form sqlite;
  Form postgres;
};

/// Reads statements.sql, statements.sqlite.sql and statements.postgres.sql below `folder`, by
/// name. Throws Refused for the first rule of theirs that does not hold.
[[nodiscard]] std::map<std::string, NamedStatement> read_statements(const std::string& folder);

}  // namespace holdfast::store::embed
