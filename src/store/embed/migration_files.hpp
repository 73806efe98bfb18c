#pragma once

#include <string>
#include <vector>

#include "store/embed/sql_text.hpp"

namespace holdfast::store::embed {

/// A step of the schema in one dialect.
struct Migration {
  int version = 0;
  std::string name;
  int oldest = 0;
  std::string sql;
};

/// The steps of both dialects, by version; the two lists have the same versions and names.
struct Migrations {
  std::vector<Migration> sqlite;
  std::vector<Migration> postgres;
};

/// Reads NNNN_name.{sqlite,postgres}.sql below `folder`. Throws Refused for a file without its
/// pair, a gap in the numbers, or a missing line `-- oldest: N`.
[[nodiscard]] Migrations read_migrations(const std::string& folder);

}  // namespace holdfast::store::embed
