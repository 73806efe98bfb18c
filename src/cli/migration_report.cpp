#include "cli/migration_report.hpp"

#include <fmt/format.h>

#include "cli/output.hpp"
#include "store/statements.hpp"

namespace holdfast::cli {

namespace {

std::string sentence(const Globals& globals, int before, int after) {
  const std::string queue = fmt::format("queue {} in {}", globals.schema, globals.shown());
  if (before == 0) return fmt::format("made the {}: schema {}", queue, after);
  if (before == after) return fmt::format("nothing to do: the {} has schema {}", queue, after);
  return fmt::format("brought the {} from schema {} to {}", queue, before, after);
}

}  // namespace

void report_migration(const Globals& globals, int before, int after) {
  if (!globals.json) return print_line(sentence(globals, before, after));
  print_json(Json{{"database", globals.shown()},
                  {"namespace", globals.schema},
                  {"schema_before", before},
                  {"schema", after}});
}

void print_migrations(const Globals& globals) {
  const Dialect dialect = database_of(globals).dialect;
  if (!globals.json) {
    print_line(
        "-- For reading. Only `holdfast init` and `holdfast migrate` also record what they did: a\n"
        "-- database to which this was applied by hand is not recognised.");
  }
  for (const store::MigrationText& step : store::migration_texts(dialect)) {
    const std::string sql = store::with_namespace(step.sql, dialect, globals.schema);
    if (globals.json) {
      print_json(Json{{"version", step.version}, {"name", step.name}, {"sql", sql}});
    } else {
      print_line(fmt::format("-- migration {}: {}\n{}", step.version, step.name, sql));
    }
  }
}

}  // namespace holdfast::cli
