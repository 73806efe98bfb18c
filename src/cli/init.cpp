
#include "cli/commands.hpp"
#include "cli/migration_report.hpp"

namespace holdfast::cli {

namespace {

ExitCode init(const Globals& globals, const MigrateOptions& options) {
  const Store store = open_store(globals, MissingFile::create);
  const int before = store.versions().database;
  store.migrate(options);
  report_migration(globals, before, store.versions().database);
  return ExitCode::ok;
}

}  // namespace

void add_init(Commands& commands) {
  auto print = std::make_shared<bool>(false);
  auto without_trigger = std::make_shared<bool>(false);
  Arguments arguments = commands.add("init", "make the tables of a queue; safe to run twice",
                                     [print, without_trigger](const Globals& globals) {
                                       if (!*print)
                                         return init(globals, {.wake_trigger = !*without_trigger});
                                       print_migrations(globals);
                                       return ExitCode::ok;
                                     });
  arguments.flag("--print", *print, "print the SQL and connect to nothing");
  arguments.flag("--no-wake-trigger", *without_trigger,
                 "PostgreSQL: no trigger on inserts, or none any more; workers poll then");
}

}  // namespace holdfast::cli
