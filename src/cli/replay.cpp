#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/job_argument.hpp"
#include "cli/output.hpp"

namespace holdfast::cli {

namespace {

struct ReplayFlags {
  JobId id = 0;
  Operator who = {};
};

ExitCode report(const Globals& globals, const Replayed& answer, const std::string& text) {
  if (globals.json) {
    print_json(Json{{"id", answer.id}, {"result", to_string(answer.what)}});
  } else {
    print_line(text);
  }
  return ExitCode::ok;
}

ExitCode replay(const Globals& globals, const ReplayFlags& options) {
  const Replayed answer = open_store(globals).replay(options.id, options.who);
  const auto refuse = [&](const std::string& text) {
    return nothing_done(globals, to_string(answer.what), text);
  };
  switch (answer.what) {
    case Replayed::What::replayed:
      return report(globals, answer,
                    fmt::format("job {} waits again, with all its attempts", answer.id));
    case Replayed::What::new_job:
      return report(globals, answer,
                    fmt::format("job {} was enqueued again as job {}", options.id, answer.id));
    case Replayed::What::key_taken:
      return refuse(fmt::format("job {} was not replayed: job {} holds its unique key", options.id,
                                answer.id));
    case Replayed::What::live:
      return refuse(fmt::format("job {} was not replayed: it is waiting or running", options.id));
    case Replayed::What::not_found: return no_such_job(globals, options.id);
  }
  return ExitCode::failed;
}

}  // namespace

void add_replay(Commands& commands) {
  auto options = std::make_shared<ReplayFlags>();
  Arguments arguments =
      commands.add("replay", "run a quarantined or finished job again",
                   [options](const Globals& globals) { return replay(globals, *options); });
  add_job_argument(arguments, options->id);
  add_operator(arguments, options->who, Need::required);
}

}  // namespace holdfast::cli
