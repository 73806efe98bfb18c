#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/job_argument.hpp"
#include "cli/output.hpp"

namespace holdfast::cli {

namespace {

ExitCode restored(const Globals& globals, const Operator& who) {
  const std::string origin = open_store(globals).restored(who);
  if (globals.json) {
    print_json(Json{{"origin", origin}});
  } else {
    print_line(fmt::format("later jobs get idempotency keys that begin with {}", origin));
  }
  return ExitCode::ok;
}

}  // namespace

void add_restored(Commands& commands) {
  auto who = std::make_shared<Operator>();
  Arguments arguments = commands.add(
      "restored",
      "run once after the database was restored from a backup or copied, before its workers start",
      [who](const Globals& globals) { return restored(globals, *who); });
  add_operator(arguments, *who, Need::required);
}

}  // namespace holdfast::cli
