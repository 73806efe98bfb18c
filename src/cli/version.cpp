#include "holdfast/version.hpp"

#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "holdfast/sqlite.hpp"

namespace holdfast::cli {

namespace {

#ifdef HOLDFAST_WITH_POSTGRES
constexpr bool has_postgres = true;
#else
constexpr bool has_postgres = false;
#endif

ExitCode print_version(const Globals& globals) {
  if (globals.json) {
    print_json(Json{{"version", version},
                    {"schema", schema_version},
                    {"sqlite", sqlite::library_version()},
                    {"postgres", has_postgres}});
  } else {
    print_line(fmt::format("holdfast {} (schema {}, SQLite {}, {} PostgreSQL)", version,
                           schema_version, sqlite::library_version(),
                           has_postgres ? "with" : "without"));
  }
  return ExitCode::ok;
}

}  // namespace

void add_version(Commands& commands) {
  commands.add("version", "print the version",
               [](const Globals& globals) { return print_version(globals); });
}

}  // namespace holdfast::cli
