#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/format.hpp"
#include "cli/job_json.hpp"
#include "cli/job_text.hpp"
#include "cli/output.hpp"
#include "cli/table.hpp"

namespace holdfast::cli {

namespace {

struct JobsFlags {
  JobFilter filter = {};
  std::optional<std::int64_t> limit = {};
};

void print_table(const std::vector<JobRow>& jobs) {
  Table table({{"id", Align::right},
               {"state"},
               {"queue"},
               {"kind"},
               {"attempt", Align::right},
               {"due"},
               {"last error"}});
  for (const JobRow& job : jobs) {
    table.add({std::to_string(job.id), state_text(job), job.queue, job.kind,
               std::to_string(job.attempt), format_time(job.run_at), job.last_error.value_or("")});
  }
  table.print();
}

ExitCode jobs(const Globals& globals, const JobsFlags& options) {
  JobFilter filter = options.filter;
  filter.payloads = globals.json;
  if (options.limit) filter.limit = static_cast<int>(*options.limit);
  const std::vector<JobRow> found = open_store(globals).list(filter);
  if (!globals.json) {
    print_table(found);
  } else {
    for (const JobRow& job : found) print_json(to_json(job));
  }
  return ExitCode::ok;
}

}  // namespace

void add_jobs(Commands& commands) {
  auto options = std::make_shared<JobsFlags>();
  Arguments arguments =
      commands.add("jobs", "list jobs, newest first",
                   [options](const Globals& globals) { return jobs(globals, *options); });
  arguments.parsed("--state", options->filter.state, parse_state,
                   "only jobs in this state: scheduled, retrying, ready, running, succeeded, "
                   "cancelled, discarded, quarantined");
  arguments.text("--queue", options->filter.queue, "only jobs of this queue");
  arguments.text("--kind", options->filter.kind, "only jobs of this kind");
  arguments.parsed(
      "--limit", options->limit,
      [](std::string_view text) { return parse_integer(text, 1, 10'000); },
      "at most this many (default: 50)");
  arguments.parsed("--before", options->filter.before, parse_id,
                   "only jobs with a smaller id: the last one shown goes on from there");
}

}  // namespace holdfast::cli
