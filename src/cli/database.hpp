#pragma once

#include <string>
#include <string_view>

#include "cli/parse.hpp"
#include "holdfast/session.hpp"
#include "holdfast/store.hpp"

namespace holdfast::cli {

/// Where a queue lives, as written after --database.
struct DatabaseName {
  Dialect dialect = Dialect::sqlite;
  std::string target = {};  ///< file name, or what libpq connects to
};

/// sqlite:FILE, postgres://… or postgresql://….
[[nodiscard]] Parsed<DatabaseName> parse_database(std::string_view text);

/// `text` with every password of the URL `database` taken out: for everything that is printed,
/// because libpq quotes the URL in some of its messages.
[[nodiscard]] std::string without_password(std::string text, std::string_view database);

/// What every command is told.
struct Globals {
  std::string database = "sqlite:holdfast.db";
  std::string schema = "holdfast";
  bool json = false;
  std::string listen = {};  ///< postgres://… past a pooler; only a worker listens

  /// The database for messages, without a password.
  [[nodiscard]] std::string shown() const { return without_password(database, database); }
};

/// Only `init` makes a database file that is not there: anything else would answer a mistyped name
/// with an empty queue.
enum class MissingFile { refuse, create };

/// Throws UsageError for a name that cannot be read, Error for a database that cannot be used.
[[nodiscard]] Store open_store(const Globals& globals, MissingFile missing = MissingFile::refuse);

/// As parse_database; throws UsageError.
[[nodiscard]] DatabaseName database_of(const Globals& globals);

}  // namespace holdfast::cli
