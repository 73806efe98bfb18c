#pragma once

#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "holdfast/handlers.hpp"
#include "queue/policy.hpp"
#include "worker/log.hpp"

namespace holdfast::worker {

/// What the tables said about queues and kinds at one moment. Immutable.
struct Contract {
  queue::Policies policies = {};
  std::vector<std::string> kinds = {};  ///< those that this worker may claim
};

/// The newest Contract, shared by the threads of a worker and read again by maintenance.
class Contracts {
 public:
  /// Never null. Any thread; what it returns does not change.
  [[nodiscard]] std::shared_ptr<const Contract> now() const;

  /// Reads the tables, and says how the leases of all workers stand at `now`. A kind that has hooks
  /// elsewhere but none here is not claimed: this program could not make its jobs final. It is
  /// named in the log once.
  queue::House::Claims read(store::Access access, Time now, const Handlers& handlers, Log& log);

 private:
  mutable std::mutex mutex_;  // guards current_
  std::shared_ptr<const Contract> current_ = std::make_shared<const Contract>();
  std::set<std::string> hookless_;  // of the reading thread
};

}  // namespace holdfast::worker
