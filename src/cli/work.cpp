#include <algorithm>
#include <cstdlib>
#include <thread>
#include <vector>

#include "cli/commands.hpp"
#include "cli/exec_handler.hpp"
#include "cli/output.hpp"
#include "cli/signals.hpp"
#include "cli/sqlite_warning.hpp"
#include "cli/usage_error.hpp"
#include "cli/work_log.hpp"
#include "holdfast/worker.hpp"

namespace holdfast::cli {

namespace {

/// From the stop token of a command to giving its thread up. Twice the time that a command has
/// between SIGTERM and SIGKILL, so that a killed one is always reaped and settled in time.
constexpr Duration stop_grace = std::chrono::seconds(4);

struct WorkFlags {
  std::vector<std::string> execs = {};
  std::optional<std::vector<std::string>> queues = {};
  std::int64_t threads = std::max(1U, std::thread::hardware_concurrency());
  std::optional<std::int64_t> batch = {};
  std::optional<std::int64_t> connections_max = {};
  std::string listen = {};
  WorkerOptions worker = {};
};

Parsed<std::string> parse_listen(std::string_view text) {
  const auto name = parse_database(text);
  if (name && name->dialect == Dialect::postgres) return name->target;
  return Parsed<std::string>::refused("give the address as postgres://USER@HOST/NAME");
}

Handlers handlers_of(const std::vector<std::string>& execs) {
  Handlers handlers;
  for (const std::string& text : execs) {
    const auto exec = parse_exec(text);
    if (!exec) throw UsageError("--exec: " + exec.fault());
    if (handlers.find(exec->kind) != nullptr) {
      throw UsageError("--exec: there are two commands for kind " + exec->kind);
    }
    handlers.on(exec->kind, exec_handler(exec->command, {.kill_after = stop_grace / 2}));
  }
  return handlers;
}

WorkerOptions worker_options(const WorkFlags& options, WorkLog& log) {
  WorkerOptions worker = options.worker;
  worker.queues.clear();
  worker.shared_queues = options.queues.value_or(std::vector<std::string>{"*"});
  worker.shared_threads = static_cast<int>(options.threads);
  worker.stop_grace = stop_grace;
  worker.maintenance = std::min(worker.maintenance, worker.lease);
  if (options.batch) worker.batch = static_cast<int>(*options.batch);
  if (options.connections_max) worker.connections_max = static_cast<int>(*options.connections_max);
  worker.log = [&log](LogLevel level, std::string_view message) { log.line(level, message); };
  return worker;
}

WorkerReport run_until_signal(Worker& worker, WorkLog& log) {
  stop_source stop;
  const Signals signals([&](int count) {
    log.stopping(count > 1);
    if (count == 1) {
      stop.request_stop();
    } else {
      worker.hurry();
    }
  });
  return worker.run(stop.get_token());
}

ExitCode work(const Globals& globals, const WorkFlags& options) {
  WorkLog log(globals.json);
  const Handlers handlers = handlers_of(options.execs);
  const WorkerOptions settings = worker_options(options, log);
  Globals with_listen = globals;
  with_listen.listen = options.listen;
  const Store store = open_store(with_listen);
  // Any read refuses a database that is not ready, before we say that we work on it.
  static_cast<void>(store.idempotency_key(1, 1));
  Worker worker(store, handlers, settings);
  log.start(globals.shown(), handlers.names(), settings);
  if (database_of(globals).dialect == Dialect::sqlite) warn_of_old_sqlite(log);
  const WorkerReport report = run_until_signal(worker, log);
  log.summary(report);
  if (report.abandoned.empty()) return ExitCode::ok;
  // A thread that never returned still uses what the end of the program would take down.
  flush_output();
  std::_Exit(static_cast<int>(ExitCode::failed));
}

void add_options(Arguments& arguments, WorkFlags& options) {
  const auto between = [](std::int64_t least, std::int64_t most) {
    return [=](std::string_view text) { return parse_integer(text, least, most); };
  };
  WorkerOptions& worker = options.worker;
  arguments.texts("--exec", options.execs,
                  "KIND=COMMAND: /bin/sh -c COMMAND runs the jobs of this kind, payload on stdin");
  arguments.parsed("--queue", options.queues, parse_names, "queues to serve, Q1,Q2 (default: all)");
  arguments.parsed("--threads", options.threads, between(1, 1024),
                   "commands that run at the same time (default: one for each processor)");
  arguments.parsed("--lease", worker.lease, parse_duration,
                   "how long a dead worker keeps its jobs, at least 500ms (default: 30s)");
  arguments.parsed("--grace", worker.grace, parse_duration,
                   "time for running commands after SIGTERM (default: 30s)");
  arguments.parsed("--poll", worker.poll, parse_duration,
                   "longest wait before looking for work where nothing tells of it (default: "
                   "500ms)");
  arguments.parsed("--listen-database", options.listen, parse_listen,
                   "postgres://… past a pooler, to hear of new jobs there");
  arguments.parsed("--batch", options.batch, between(1, 10'000),
                   "most jobs that are claimed at once (default: 500)");
  arguments.parsed("--max-connections", options.connections_max, between(3, 1000),
                   "most database connections, 3 or more (default: 4)");
  arguments.flag("--drain", worker.drain,
                 "leave when nothing is ready, running or due to be retried within a minute");
}

}  // namespace

void add_work(Commands& commands) {
  auto options = std::make_shared<WorkFlags>();
  Arguments arguments =
      commands.add("work", "run jobs with commands until SIGTERM or SIGINT",
                   [options](const Globals& globals) { return work(globals, *options); });
  add_options(arguments, *options);
}

}  // namespace holdfast::cli
