#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/handlers.hpp"
#include "holdfast/stop_token.hpp"
#include "holdfast/store.hpp"
#include "holdfast/time.hpp"

namespace holdfast {

namespace worker {
class Engine;
}

/// How one queue is served.
struct QueueOptions {
  int threads = 1;  ///< handlers of this queue that run at the same time, 1 … 1,024
};

/// Severity of a line for the log sink.
enum class LogLevel { debug, info, warning, error };
[[nodiscard]] std::string_view to_string(LogLevel level);

/// Called by the worker's threads, one at a time. Must not block; what it throws is dropped.
using LogSink = std::function<void(LogLevel, std::string_view)>;

struct WorkerOptions {
  /// Queue name -> how it is served. The name "*" serves every queue that has work.
  std::map<std::string, QueueOptions> queues = {{"default", {}}};

  /// Queues that share one set of threads, instead of `queues`: names (or "*") and the threads.
  std::vector<std::string> shared_queues = {};
  int shared_threads = 1;

  Duration lease = std::chrono::seconds(30);         ///< at least 500 ms; renewed each third of it
  Duration grace = std::chrono::seconds(30);         ///< for running handlers after stop
  Duration stop_grace = std::chrono::seconds(2);     ///< after the stop tokens, before abandoning
  Duration timeout_grace = std::chrono::seconds(5);  ///< same, for an attempt past its timeout

  /// Longest wait between two looks for work where nothing tells of it: databases in memory,
  /// PostgreSQL through a pooler (see StoreOptions::listen) or without the wake-up trigger, systems
  /// other than Linux for SQLite. Looks begin at a tenth of it after work was found. Where workers
  /// are told, they look once each 10 s all the same, or each `poll` if that is longer.
  Duration poll = std::chrono::milliseconds(500);

  /// Between two sweeps for dead workers, at most a lease; twice as long while nothing runs.
  /// Contracts of queues and kinds are read as often.
  Duration maintenance = std::chrono::seconds(1);
  int batch = 500;          ///< most jobs a claim takes
  int abandoned_max = 64;   ///< stuck threads replaced before giving up
  int deferred_max = 1000;  ///< deferred attempts open at the same time
  int connections_max = 4;  ///< 3 are always used; done_in needs a 4th
  bool drain = false;       ///< return once nothing is due within a minute
  LogSink log = {};         ///< default: nothing is written anywhere
};

/// What a worker did, returned when it stops.
struct WorkerReport {
  std::int64_t started = 0;
  std::int64_t succeeded = 0;
  std::int64_t failed = 0;
  std::int64_t leases_lost = 0;
  std::int64_t released = 0;          ///< handed back without blame
  std::vector<JobId> abandoned = {};  ///< attempts whose handler never returned
};

/// Claims and runs jobs until told to stop.
class Worker {
 public:
  /// Throws Error(invalid) for options that cannot work, naming the rule.
  Worker(Store store, Handlers handlers, WorkerOptions options = {});

  /// Stops a run() of another thread like its stop token, and waits until it has returned.
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// Works until `stop` is raised, then: claims nothing more, hands buffered jobs back, lets
  /// running handlers finish within `grace` while their leases are renewed, raises their stop
  /// tokens, waits `stop_grace`, releases what is left and returns. Every result handed in before
  /// that is written, for which it waits at most one lease: what a database that is away has not
  /// taken by then belongs to nobody, and is run again. A database that goes away is waited for;
  /// only an unusable one (schema, damage) throws. A worker runs once: a second call throws
  /// Error(misuse).
  WorkerReport run(stop_token stop);

  /// Skips the remaining grace of a stopping worker (a second SIGTERM). Any thread.
  void hurry();

  /// Looks for work now. Workers hear of what is enqueued through their Store by themselves; this
  /// is for jobs that became ready in a way that nobody told of. Any thread.
  void wake();

 private:
  std::shared_ptr<worker::Engine> engine_;
};

}  // namespace holdfast
