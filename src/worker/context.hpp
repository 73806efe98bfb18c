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
#include "worker/stopper.hpp"
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

  /// Who has a job's lease after a transaction of ours whose commit was not answered: on PostgreSQL
  /// that one has ended then, for good. Throws Error(busy) when the row is not to be had soon.
  /// Outside a transaction.
  [[nodiscard]] bool holds_lease(db::Connection& connection, const queue::Lease& lease) const;

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
  Stopper stopper;
  Alarm watchdog_alarm;
  Alarm keeper_alarm;

  std::stop_source stopping;  ///< raised: claim nothing more, end in good order
  std::stop_source hurrying;  ///< raised: skip the grace

 private:
  mutable std::mutex mutex_;  // guards failure_
  std::exception_ptr failure_;
};

}  // namespace holdfast::worker
