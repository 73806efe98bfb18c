#include "cli/database.hpp"

#include <array>
#include <cstddef>
#include <filesystem>
#include <system_error>
#include <vector>

#include "cli/usage_error.hpp"
#include "holdfast/error.hpp"
#include "holdfast/sqlite.hpp"

#ifdef HOLDFAST_WITH_POSTGRES
#include "holdfast/postgres.hpp"
#endif

namespace holdfast::cli {

namespace {

constexpr std::array<std::string_view, 2> postgres_schemes{"postgres://", "postgresql://"};

bool is_postgres(std::string_view text) {
  return text.starts_with(postgres_schemes[0]) || text.starts_with(postgres_schemes[1]);
}

/// The text between `:` and the `@` that ends the credentials, and what follows `password=`.
std::vector<std::string_view> passwords_in(std::string_view url) {
  std::vector<std::string_view> found;
  if (!is_postgres(url)) return found;
  const std::string_view rest = url.substr(url.find("://") + 3);
  // A password with an unescaped / or @ in it is a mistake that people make: the last @ before the
  // query counts, so that too much is hidden rather than too little.
  const auto query = rest.find('?');
  const std::string_view authority = rest.substr(0, query);
  const auto at = authority.rfind('@');
  const auto colon = authority.find(':');
  if (at != std::string_view::npos && colon < at) {
    found.push_back(authority.substr(colon + 1, at - colon - 1));
  }
  constexpr std::string_view key = "password=";
  for (auto from = rest.find(key, query);
       query != std::string_view::npos && from != std::string_view::npos;
       from = rest.find(key, from)) {
    from += key.size();
    found.push_back(rest.substr(from, rest.find('&', from) - from));
  }
  return found;
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

void refuse_directory(const std::string& file) {
  std::error_code error;
  if (!std::filesystem::is_directory(file, error)) return;
  throw UsageError(file + " is a directory: name a file in it");
}

void refuse_missing_file(const std::string& file) {
  std::error_code error;
  if (std::filesystem::exists(file, error) || error) return;
  throw Error(Code::schema, "there is no file " + file +
                                ": run `holdfast init` to make a queue there, or name another one "
                                "with --database");
}

Store open_postgres(const std::string& target, StoreOptions options) {
#ifdef HOLDFAST_WITH_POSTGRES
  return postgres::open(target, std::move(options));
#else
  static_cast<void>(target);
  static_cast<void>(options);
  throw UsageError(
      "this holdfast was built without PostgreSQL: install libpq-dev and build it "
      "again, or use sqlite:FILE");
#endif
}

}  // namespace

Parsed<DatabaseName> parse_database(std::string_view text) {
  using Answer = Parsed<DatabaseName>;
  constexpr std::string_view sqlite_scheme = "sqlite:";
  if (is_postgres(text)) return DatabaseName{Dialect::postgres, std::string(text)};
  if (!text.starts_with(sqlite_scheme)) {
    return Answer::refused("give the database as sqlite:FILE or postgres://USER@HOST/NAME");
  }
  const std::string_view file = text.substr(sqlite_scheme.size());
  if (file.starts_with("//")) {
    return Answer::refused(
        "what follows sqlite: is the file's name: sqlite:x.db or sqlite:/var/x.db");
  }
  if (file.empty()) return Answer::refused("give a file name after sqlite:");
  if (file == ":memory:") {
    return Answer::refused("a queue in memory ends with the command that made it: give a file");
  }
  return DatabaseName{Dialect::sqlite, std::string(file)};
}

std::string without_password(std::string text, std::string_view database) {
  for (const std::string_view password : passwords_in(database)) {
    if (password.empty()) continue;
    const std::string secret(password);
    replace_all(text, ":" + secret + "@", ":***@");
    replace_all(text, "password=" + secret, "password=***");
    // A secret of one or two letters occurs in any sentence; there it would only be pointed out.
    if (secret.size() > 2) replace_all(text, secret, "***");
  }
  return text;
}

DatabaseName database_of(const Globals& globals) {
  const auto name = parse_database(globals.database);
  if (!name) throw UsageError("--database: " + name.fault());
  return *name;
}

Store open_store(const Globals& globals, MissingFile missing) {
  const DatabaseName name = database_of(globals);
  StoreOptions options{.schema = globals.schema, .listen = globals.listen};
  if (name.dialect == Dialect::postgres) return open_postgres(name.target, std::move(options));
  refuse_directory(name.target);
  if (missing == MissingFile::refuse) refuse_missing_file(name.target);
  return sqlite::open(name.target, std::move(options));
}

}  // namespace holdfast::cli
