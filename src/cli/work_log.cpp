#include "cli/work_log.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "cli/format.hpp"

namespace holdfast::cli {

namespace {

std::string queues_text(const std::vector<std::string>& queues) {
  if (queues == std::vector<std::string>{"*"}) return "all queues";
  return fmt::format("{} {}", queues.size() == 1 ? "queue" : "queues", fmt::join(queues, ", "));
}

}  // namespace

void WorkLog::start(const std::string& database, const std::vector<std::string>& kinds,
                    const WorkerOptions& options) {
  const auto pid = ::getpid();
  write(Json{{"event", "start"},
             {"database", database},
             {"pid", pid},
             {"queues", options.shared_queues},
             {"kinds", kinds},
             {"threads", options.shared_threads},
             {"lease_ms", options.lease.count() / 1000},
             {"connections_max", options.connections_max}},
        fmt::format("info working on {} as process {}: {}, {} {}, {} {}, lease {}, at most {} "
                    "connections",
                    database, pid, queues_text(options.shared_queues),
                    kinds.size() == 1 ? "kind" : "kinds", fmt::join(kinds, ", "),
                    options.shared_threads, options.shared_threads == 1 ? "thread" : "threads",
                    format_duration(options.lease), options.connections_max));
}

void WorkLog::stopping(bool hurry) {
  write(Json{{"event", "stopping"}, {"hurry", hurry}},
        hurry ? "info stopping now: running commands are told to end"
              : "info stopping: running commands may finish; a second signal ends them");
}

void WorkLog::summary(const WorkerReport& report) {
  write(Json{{"event", "stopped"},
             {"started", report.started},
             {"succeeded", report.succeeded},
             {"failed", report.failed},
             {"released", report.released},
             {"leases_lost", report.leases_lost},
             {"abandoned", report.abandoned}},
        fmt::format("info stopped: {} started, {} succeeded, {} failed, {} handed back, {} leases "
                    "lost{}",
                    report.started, report.succeeded, report.failed, report.released,
                    report.leases_lost,
                    report.abandoned.empty()
                        ? ""
                        : fmt::format(", never returned: {}", fmt::join(report.abandoned, ", "))));
}

void WorkLog::line(LogLevel level, std::string_view text) {
  std::string message(text);
  std::replace(message.begin(), message.end(), '\t', ' ');  // libpq indents with them
  write(Json{{"event", "log"}, {"level", to_string(level)}, {"message", message}},
        fmt::format("{} {}", to_string(level), message));
}

void WorkLog::write(const Json& fields, const std::string& text) {
  const std::string line = (json_ ? dump(fields) : for_terminal(text)) + "\n";
  const std::lock_guard lock(mutex_);
  std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace holdfast::cli
