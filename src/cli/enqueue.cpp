#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <optional>

#include "cli/commands.hpp"
#include "cli/descriptor.hpp"
#include "cli/output.hpp"
#include "cli/usage_error.hpp"

namespace holdfast::cli {

namespace {

constexpr std::size_t payload_bytes_max = 1U << 20U;

struct EnqueueFlags {
  NewJob job = {};
  std::optional<std::string> payload = {};
  std::optional<std::int64_t> priority = {};
  std::optional<std::int64_t> max_attempts = {};
};

/// Byte for byte up to the end. Stops early at what no queue would take.
std::string read_stdin() {
  std::string all;
  std::array<char, 65536> buffer;
  while (all.size() <= payload_bytes_max) {
    const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), stdin);
    all.append(buffer.data(), count);
    if (count < buffer.size()) break;
  }
  if (std::ferror(stdin) != 0) throw_system_error("stdin", errno);
  return all;
}

NewJob job_of(const EnqueueFlags& options) {
  NewJob job = options.job;
  if (job.options.delay && job.options.run_at) {
    throw UsageError("give --delay or --run-at, not both");
  }
  if (job.options.on_conflict != OnConflict::keep && !job.options.unique_key) {
    throw UsageError("--on-conflict says what to do about a --unique-key, and there is none");
  }
  const std::string argument = options.payload.value_or("");
  job.payload = argument == "-" ? read_stdin() : argument;
  if (job.payload.size() > payload_bytes_max) {
    throw UsageError(
        "the payload is over 1 MiB: store the data elsewhere and put its address in the job");
  }
  if (options.priority) job.options.priority = static_cast<int>(*options.priority);
  if (options.max_attempts) job.options.max_attempts = static_cast<int>(*options.max_attempts);
  return job;
}

ExitCode enqueue(const Globals& globals, const EnqueueFlags& options) {
  const NewJob job = job_of(options);
  const Enqueued answer = open_store(globals).enqueue(job);
  if (globals.json) {
    print_json(Json{{"id", answer.id}, {"result", to_string(answer.what)}});
  } else {
    print_line(std::to_string(answer.id));
  }
  if (answer.what != Enqueued::What::rejected) return ExitCode::ok;
  if (!globals.json) {
    print_error(false, "rejected",
                fmt::format("nothing was enqueued: job {} holds this unique key", answer.id));
  }
  return ExitCode::nothing_done;
}

void add_options(Arguments& arguments, EnqueueFlags& options) {
  EnqueueOptions& job = options.job.options;
  const auto between = [](std::int64_t least, std::int64_t most) {
    return [=](std::string_view text) { return parse_integer(text, least, most); };
  };
  arguments.text("KIND", options.job.kind, "which handler runs it", Need::required);
  arguments.text("PAYLOAD", options.payload, "text for the handler; - reads it from stdin");
  arguments.text("--queue", job.queue, "queue (default: default)");
  arguments.parsed("--priority", options.priority, between(0, 9),
                   "0 (first) to 9 (last); default 5");
  arguments.parsed("--delay", job.delay, parse_duration, "run it that much later: 5s, 10m");
  arguments.parsed("--run-at", job.run_at, parse_time,
                   "not before this time: 2026-01-31T12:00:00Z or @UNIX-SECONDS");
  arguments.text("--unique-key", job.unique_key,
                 "at most one waiting or running job of the queue has this key");
  arguments.parsed("--on-conflict", job.on_conflict, parse_on_conflict,
                   "when the key is taken: keep (default), replace or reject");
  arguments.text("--group", job.group, "tenant, customer or aggregate");
  arguments.parsed("--max-attempts", options.max_attempts, between(1, 1'000'000),
                   "attempts before it waits for a person; default 20");
  arguments.parsed("--timeout", job.timeout, parse_duration, "time limit of one attempt: 30s");
  arguments.text("--headers", job.headers, "kept with the job, JSON by convention");
  arguments.text("--message-id", job.message_id, "kept with the job");
  arguments.text("--trace", job.trace, "trace context, kept with the job");
}

}  // namespace

void add_enqueue(Commands& commands) {
  auto options = std::make_shared<EnqueueFlags>();
  Arguments arguments =
      commands.add("enqueue", "put a job into a queue and print its id",
                   [options](const Globals& globals) { return enqueue(globals, *options); });
  add_options(arguments, *options);
}

}  // namespace holdfast::cli
