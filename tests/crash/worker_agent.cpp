#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>

#include "crash/agent.hpp"
#include "crash/agent_signals.hpp"
#include "crash/append_log.hpp"
#include "crash/application.hpp"
#include "crash/slow_sync.hpp"
#include "holdfast/worker.hpp"

namespace holdfast::test {

namespace {

using std::chrono::milliseconds;

/// What the handlers share.
class Bench {
 public:
  explicit Bench(const AgentOptions& options)
      : options_(options),
        starts_(options.directory + std::string(start_log)),
        answers_(options.directory + std::string(answer_log)) {}

  void note_start(Run& run) {
    starts_.append(std::to_string(run.job().id) + " " + std::to_string(run.fence()) + " " +
                   std::to_string(run.attempt()) + " " + options_.name);
  }

  /// One effect row in the transaction that completes the job.
  Settled effect(Run& run) {
    return run.done_in([&](Session& session) {
      session.execute("insert into effects (job, fence, worker) values ($1, $2, $3)",
                      {run.job().id, run.fence(), options_.name});
    });
  }

  void note_answer(Run& run, Settled settled) {
    answers_.append(options_.name + " " + std::to_string(run.job().id) + " " +
                    std::string(to_string(settled)));
  }

  /// Computes until the test says go, deaf to the stop token.
  void spin_until_go(Run& run) const {
    const std::string file = options_.directory + go_file(run.fence());
    auto look_at = std::chrono::steady_clock::now();
    while (true) {
      const auto now = std::chrono::steady_clock::now();
      if (now < look_at) continue;
      if (::access(file.c_str(), F_OK) == 0) return;
      look_at = now + milliseconds(5);
    }
  }

  /// Waits for the test, deaf to the stop token, as a handler that is deep in a computation is.
  void wait_for_go(Run& run) const {
    const std::string file = options_.directory + go_file(run.fence());
    while (::access(file.c_str(), F_OK) != 0) {
      std::this_thread::sleep_for(milliseconds(2));
    }
  }

 private:
  const AgentOptions& options_;
  AppendLog starts_;
  AppendLog answers_;
};

/// Back-off after losses: short, so that a storm ends.
RetryPolicy quick() {
  return {.base = milliseconds(10), .exponent = 1, .cap = milliseconds(300), .max_attempts = 1000};
}

void add_storm_kinds(Handlers& handlers, Bench& bench) {
  const auto effect = [&bench](Run& run) {
    bench.note_start(run);
    static_cast<void>(bench.effect(run));
    return done();
  };
  handlers.on("effect", effect).retry(quick());
  handlers
      .on("fail_once",
          [&bench, effect](Run& run) {
            if (run.attempt() > 1) return effect(run);
            bench.note_start(run);
            return retry("fails once", FailureClass::external, milliseconds(run.job().id % 50));
          })
      .retry(quick());
  handlers
      .on("snooze_once",
          [&bench, effect](Run& run) {
            if (run.fence() > 1) return effect(run);
            bench.note_start(run);
            return snooze(milliseconds(run.job().id % 50));
          })
      .retry(quick());
  handlers
      .on("plain",
          [&bench](Run& run) {
            bench.note_start(run);
            return done();
          })
      .retry(quick());
}

void add_held_kinds(Handlers& handlers, Bench& bench) {
  // The first attempt holds until the test says go; later ones finish at once.
  handlers
      .on("hold_then_effect",
          [&bench](Run& run) {
            bench.note_start(run);
            if (run.fence() == 1) bench.wait_for_go(run);
            bench.note_answer(run, bench.effect(run));
            return done();
          })
      .retry(quick());
  handlers
      .on("hold_each_then_effect",
          [&bench](Run& run) {
            bench.note_start(run);
            bench.wait_for_go(run);
            bench.note_answer(run, bench.effect(run));
            return done();
          })
      .retry(quick());
  handlers
      .on("spin_then_effect",
          [&bench](Run& run) {
            bench.note_start(run);
            bench.spin_until_go(run);
            bench.note_answer(run, bench.effect(run));
            return done();
          })
      .retry(quick());
  handlers
      .on("hold_then_done",
          [&bench](Run& run) {
            bench.note_start(run);
            if (run.fence() == 1) bench.wait_for_go(run);
            return done();
          })
      .retry(quick());
}

WorkerOptions worker_options(const AgentOptions& options, AppendLog& troubles) {
  const int threads = static_cast<int>(options.threads);
  return {.queues = {{"default", {.threads = threads}}},
          .lease = milliseconds(options.lease_ms),
          .grace = milliseconds(options.grace_ms),
          .stop_grace = milliseconds(options.stop_grace_ms),
          .poll = milliseconds(20),
          .maintenance = milliseconds(200),
          .connections_max = 3 + threads,
          .log = [&](LogLevel level, std::string_view text) {
            if (level >= LogLevel::warning) troubles.append(options.name + " " + std::string(text));
          }};
}

}  // namespace

void work(const AgentOptions& options) {
  block_stop_signals();
  slow_syncs_down(milliseconds(options.sync_ms));
  Bench bench(options);
  Handlers handlers;
  add_storm_kinds(handlers, bench);
  add_held_kinds(handlers, bench);
  AppendLog troubles(options.directory + std::string(trouble_log));
  Worker worker(open_store(options.database), handlers, worker_options(options, troubles));
  const WorkerReport report = run_until_told(worker);
  if (options.sync_ms > 0 && slow_syncs() == 0) throw std::runtime_error("no sync was slow");
  AppendLog(options.directory + std::string(report_log))
      .append(options.name + " " + std::to_string(report.leases_lost) + " " +
              std::to_string(report.released));
  // A handler that never came back still uses what this function owns.
  if (!report.abandoned.empty()) std::_Exit(0);
}

}  // namespace holdfast::test
