#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/job_argument.hpp"
#include "cli/output.hpp"

namespace holdfast::cli {

namespace {

struct DiscardFlags {
  JobId id = 0;
  Operator who = {};
};

ExitCode discard(const Globals& globals, const DiscardFlags& options) {
  const bool discarded = open_store(globals).discard(options.id, options.who);
  if (!discarded) {
    return nothing_done(globals, "not_quarantined",
                        fmt::format("there is no job {} in quarantine", options.id));
  }
  if (globals.json) {
    print_json(Json{{"id", options.id}, {"result", "discarded"}});
  } else {
    print_line(fmt::format("job {} is discarded", options.id));
  }
  return ExitCode::ok;
}

}  // namespace

void add_discard(Commands& commands) {
  auto options = std::make_shared<DiscardFlags>();
  Arguments arguments =
      commands.add("discard", "give up on a quarantined job",
                   [options](const Globals& globals) { return discard(globals, *options); });
  add_job_argument(arguments, options->id);
  add_operator(arguments, options->who, Need::required);
}

}  // namespace holdfast::cli
