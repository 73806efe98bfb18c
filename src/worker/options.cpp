#include "worker/options.hpp"

#include <string>

#include "holdfast/error.hpp"
#include "queue/check.hpp"
#include "queue/policy.hpp"

namespace holdfast::worker {

namespace {

using std::chrono::milliseconds;

void require(bool holds, const std::string& rule) {
  if (!holds) throw Error(Code::invalid, rule);
}

void check_threads(const std::string& who, int threads) {
  require(threads >= 1 && threads <= 1024, "threads of " + who + " are 1 to 1024");
}

void check_queues(const WorkerOptions& options) {
  if (!options.shared_queues.empty()) {
    for (const std::string& queue : options.shared_queues) queue::check_name("queue", queue);
    check_threads("the shared queues", options.shared_threads);
    return;
  }
  require(!options.queues.empty(), "a worker serves at least one queue");
  for (const auto& [queue, how] : options.queues) {
    queue::check_name("queue", queue);
    check_threads("queue \"" + queue + "\"", how.threads);
  }
}

void check_grace(const std::string& name, Duration grace) {
  require(grace >= Duration::zero() && grace <= std::chrono::days(365), name + " is 0 to a year");
}

void check_times(const WorkerOptions& options) {
  require(options.lease >= milliseconds(500),
          "a lease of less than 500 ms cannot be renewed three times in time");
  require(options.lease <= queue::lease_max, "a lease is at most 24 hours");
  check_grace("grace", options.grace);
  check_grace("stop_grace", options.stop_grace);
  check_grace("timeout_grace", options.timeout_grace);
  require(options.poll >= milliseconds(1) && options.poll <= std::chrono::hours(1),
          "poll is 1 ms to an hour");
  require(options.maintenance >= milliseconds(1), "maintenance is at least 1 ms");
  require(options.maintenance <= options.lease,
          "maintenance is at most a lease, or dead workers' jobs would wait for longer");
}

}  // namespace

void check_options(const WorkerOptions& options) {
  check_queues(options);
  check_times(options);
  require(options.batch >= 1 && options.batch <= 10'000, "batch is 1 to 10000");
  require(options.abandoned_max >= 0, "abandoned_max is not negative");
  require(options.deferred_max >= 1, "deferred_max is at least 1");
  require(options.connections_max >= 3,
          "connections_max is at least 3: claims, lease renewal and maintenance have one each");
}

}  // namespace holdfast::worker
