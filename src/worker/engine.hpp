#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

#include "holdfast/worker.hpp"
#include "worker/context.hpp"
#include "worker/crew.hpp"
#include "worker/lease_keeper.hpp"
#include "worker/maintenance.hpp"
#include "worker/open_claims.hpp"
#include "worker/store_thread.hpp"
#include "worker/watchdog.hpp"

namespace holdfast::worker {

/// A worker's threads and the order in which they begin and end.
///
///   store thread   settles and claims (connection 1)
///   lease keeper   renews leases, sees cancels (connection 2)
///   maintenance    sweeps, reads contracts (connection 3)
///   watchdog       time limits, leases that run out (no connection)
///   stopper        stop tokens, and what the application hangs on them (no connection)
///   crews          one group of threads for each queue, one for those that share, one for suspects
///
/// At the end: no claims, buffered jobs handed back, running handlers get their grace, then their
/// stop tokens, then are given up on; all answers are written; the lease keeper is the last to go.
class Engine {
 public:
  Engine(Store store, Handlers handlers, WorkerOptions options);

  WorkerReport run(stop_token stop);
  void hurry() { context_->hurrying.request_stop(); }
  void wake() { context_->inbox.wake(); }

  /// Stops a run() that another thread is in, and waits until it has returned.
  void end();

 private:
  void enter();
  void leave();
  void work();
  void start();
  void stop();
  void end_handlers();
  void end_stopper();
  [[nodiscard]] std::vector<Intake> intakes();
  [[nodiscard]] std::shared_ptr<Crew> add_crew(const std::string& name, int threads);

  const std::shared_ptr<Context> context_;
  OpenClaims claims_;
  Maintenance maintenance_;
  LeaseKeeper keeper_;
  std::vector<std::shared_ptr<Crew>> crews_;
  std::unique_ptr<StoreThread> store_;
  std::unique_ptr<Watchdog> watchdog_;
  std::jthread store_thread_;
  std::jthread keeper_thread_;
  std::jthread maintenance_thread_;
  std::jthread watchdog_thread_;
  std::jthread stopper_thread_;

  enum class Phase { fresh, running, over };
  std::mutex mutex_;  // guards phase_
  std::condition_variable phase_changed_;
  Phase phase_ = Phase::fresh;
};

}  // namespace holdfast::worker
