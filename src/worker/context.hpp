#pragma once

#include <algorithm>
#include <exception>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>

#include "holdfast/worker.hpp"
#include "queue/hooks.hpp"
#include "queue/store_state.hpp"
#include "worker/alarm.hpp"
#include "worker/completions.hpp"
#include "worker/contracts.hpp"
#include "worker/floor.hpp"
#include "worker/inbox.hpp"
#include "worker/log.hpp"
#include "worker/tally.hpp"

namespace holdfast::worker {

/// What the threads of one worker share. Every member is constant or locks itself. A thread whose
/// handler was given up on keeps it alive, so that such a handler may return at any time, also
/// after the worker is gone.
struct Context {
  Context(Store store_, Handlers handlers_, WorkerOptions options_);

  /// Ends the worker with an error that waiting does not mend. The first one counts.
  void fail(std::exception_ptr error);
  [[nodiscard]] bool failed() const;
  void rethrow_failure() const;

  /// The statement that reads who has a job's lease, after any transaction of ours on it has ended.
  [[nodiscard]] store::Sql lock_row() const;

  const std::shared_ptr<detail::StoreState> store;
  const Handlers handlers;
  const queue::Hooks hooks;
  const WorkerOptions options;
  const std::string incarnation;

  Log log;
  Contracts contracts;
  Inbox inbox;
  Floor floor;
  Tally tally;
  Completions completions;
  Alarm watchdog_alarm;
  Alarm keeper_alarm;

  std::stop_source stopping;  ///< raised: claim nothing more, end in good order
  std::stop_source hurrying;  ///< raised: skip the grace

 private:
  mutable std::mutex mutex_;  // guards failure_
  std::exception_ptr failure_;
};

}  // namespace holdfast::worker
