#include <unistd.h>

#include <barrier>
#include <chrono>
#include <csignal>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>

#include "crash/agent.hpp"
#include "crash/agent_signals.hpp"
#include "crash/append_log.hpp"
#include "crash/application.hpp"
#include "holdfast/worker.hpp"

namespace holdfast::test {

namespace {

using std::chrono::milliseconds;

/// A worker whose handlers all wait for each other and for `meet`.
class Leaver {
 public:
  explicit Leaver(const AgentOptions& options)
      : options_(options),
        meet_(options.threads + 1),
        answers_(options.directory + std::string(answer_log)),
        store_(open_store(options.database)) {
    // Half of them complete in a transaction of their own, half leave it to the worker.
    handlers_.on("meet", [this](Run& run) {
      meet_.arrive_and_wait();
      if (run.job().id % 2 == 0) return done();
      const Settled settled = run.done_in([&](Session& session) {
        session.execute("insert into effects (job, fence, worker) values ($1, $2, $3)",
                        {run.job().id, run.fence(), options_.name});
      });
      answers_.append(options_.name + " " + std::to_string(run.job().id) + " " +
                      std::string(to_string(settled)));
      return done();
    });
  }

  /// All handlers are about to return when this does.
  void meet() { meet_.arrive_and_wait(); }

  [[nodiscard]] Worker worker() const { return Worker(store_, handlers_, worker_options()); }

 private:
  [[nodiscard]] WorkerOptions worker_options() const {
    return {.queues = {{"default", {.threads = static_cast<int>(options_.threads)}}},
            .poll = milliseconds(5)};
  }

  const AgentOptions& options_;
  std::barrier<> meet_;
  AppendLog answers_;
  Store store_;
  Handlers handlers_;
};

void by_stop(Leaver& leaver) {
  Worker worker = leaver.worker();
  std::jthread running([&](const stop_token& stop) { (void)worker.run(stop); });
  leaver.meet();
  running.request_stop();
}

void by_destructor(Leaver& leaver) {
  std::jthread running;  // ends after the worker
  Worker worker = leaver.worker();
  running = std::jthread([&] { (void)worker.run(stop_source().get_token()); });
  leaver.meet();
}

void by_exception(Leaver& leaver) {
  try {
    std::jthread running;
    Worker worker = leaver.worker();
    running = std::jthread([&] { (void)worker.run(stop_source().get_token()); });
    leaver.meet();
    throw std::runtime_error("main fails");
  } catch (const std::runtime_error&) {
  }
}

void by_signals(Leaver& leaver, int signal, int times) {
  Worker worker = leaver.worker();
  std::jthread running([&] { (void)run_until_told(worker); });
  leaver.meet();
  for (int i = 0; i < times; ++i) ::kill(::getpid(), signal);
}

}  // namespace

void leave(const AgentOptions& options) {
  block_stop_signals();
  const std::map<std::string, std::function<void(Leaver&)>> ways{
      {"stop", by_stop},
      {"destructor", by_destructor},
      {"exception", by_exception},
      {"sigterm", [](Leaver& leaver) { by_signals(leaver, SIGTERM, 1); }},
      {"sigint_twice", [](Leaver& leaver) { by_signals(leaver, SIGINT, 2); }}};
  Leaver leaver(options);
  ways.at(options.way)(leaver);
}

}  // namespace holdfast::test
