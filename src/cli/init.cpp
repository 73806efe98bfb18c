
#include "cli/commands.hpp"
#include "cli/migration_report.hpp"

namespace holdfast::cli {

namespace {

ExitCode init(const Globals& globals) {
  const Store store = open_store(globals, MissingFile::create);
  const int before = store.versions().database;
  store.migrate();
  report_migration(globals, before, store.versions().database);
  return ExitCode::ok;
}

}  // namespace

void add_init(Commands& commands) {
  auto print = std::make_shared<bool>(false);
  Arguments arguments = commands.add("init", "make the tables of a queue; safe to run twice",
                                     [print](const Globals& globals) {
                                       if (!*print) return init(globals);
                                       print_migrations(globals);
                                       return ExitCode::ok;
                                     });
  arguments.flag("--print", *print, "print the SQL and connect to nothing");
}

}  // namespace holdfast::cli
