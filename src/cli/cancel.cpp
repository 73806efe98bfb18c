#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include "cli/commands.hpp"
#include "cli/job_argument.hpp"
#include "cli/output.hpp"

namespace holdfast::cli {

namespace {

struct CancelFlags {
  JobId id = 0;
  Operator who = {};
};

std::string user_name() {
  const passwd* entry = ::getpwuid(::geteuid());
  return entry != nullptr ? std::string(entry->pw_name) : fmt::format("uid {}", ::geteuid());
}

/// Cancelling is everyday work: who and why may be left out.
Operator completed(Operator who) {
  if (who.actor.empty()) who.actor = user_name();
  if (who.reason.empty()) who.reason = "cancelled from the command line";
  return who;
}

ExitCode report(const Globals& globals, JobId id, Cancelled answer, const std::string& text) {
  if (globals.json) {
    print_json(Json{{"id", id}, {"result", to_string(answer)}});
  } else {
    print_line(text);
  }
  return ExitCode::ok;
}

ExitCode cancel(const Globals& globals, const CancelFlags& options) {
  const Cancelled answer = open_store(globals).cancel(options.id, completed(options.who));
  switch (answer) {
    case Cancelled::cancelled:
      return report(globals, options.id, answer, fmt::format("job {} is cancelled", options.id));
    case Cancelled::requested:
      return report(
          globals, options.id, answer,
          fmt::format("job {} is asked to end: its worker sees it within a lease; if it waits, "
                      "because its kind has hooks, a program that has them ends it",
                      options.id));
    case Cancelled::already_final:
      return nothing_done(globals, to_string(answer),
                          fmt::format("job {} had ended before", options.id));
    case Cancelled::quarantined:
      return nothing_done(
          globals, to_string(answer),
          fmt::format("job {} is quarantined and waits for a person: `holdfast discard` or "
                      "`holdfast replay` it",
                      options.id));
    case Cancelled::not_found: return no_such_job(globals, options.id);
  }
  return ExitCode::failed;
}

}  // namespace

void add_cancel(Commands& commands) {
  auto options = std::make_shared<CancelFlags>();
  Arguments arguments =
      commands.add("cancel", "cancel a waiting job, or ask a running one to end",
                   [options](const Globals& globals) { return cancel(globals, *options); });
  add_job_argument(arguments, options->id);
  add_operator(arguments, options->who, Need::optional);
}

}  // namespace holdfast::cli
