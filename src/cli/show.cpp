
#include "cli/commands.hpp"
#include "cli/job_argument.hpp"
#include "cli/job_json.hpp"
#include "cli/job_text.hpp"
#include "cli/output.hpp"

namespace holdfast::cli {

namespace {

ExitCode show(const Globals& globals, JobId id) {
  const Store store = open_store(globals);
  const auto job = store.find(id);
  if (!job) return no_such_job(globals, id);
  const std::string key = store.idempotency_key(id, job->revision);
  if (globals.json) {
    Json json = to_json(*job);
    json["idempotency_key"] = key;
    print_json(json);
  } else {
    print_line(job_text(*job, key));
  }
  return ExitCode::ok;
}

}  // namespace

void add_show(Commands& commands) {
  auto id = std::make_shared<JobId>(0);
  Arguments arguments = commands.add("show", "everything about one job",
                                     [id](const Globals& globals) { return show(globals, *id); });
  add_job_argument(arguments, *id);
}

}  // namespace holdfast::cli
