#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <stop_token>

#include "worker/attempt_ptr.hpp"
#include "worker/steady.hpp"

namespace holdfast::worker {

/// Raises the stop tokens of attempts, on a thread of its own: what the application has hung on a
/// token runs there, and however long it takes, it keeps no lease from being renewed and no time
/// limit from being watched.
class Stopper {
 public:
  /// Its token is raised soon, after those before it. Any thread.
  void tell(AttemptPtr attempt);

  /// Until `stop` is raised and everybody was told.
  void run(const std::stop_token& stop);

  /// False when somebody's callbacks still run at `until`.
  [[nodiscard]] bool wait_idle(Steady until);

 private:
  std::mutex mutex_;  // guards all below
  std::condition_variable_any changed_;
  std::deque<AttemptPtr> waiting_;
  bool busy_ = false;
};

}  // namespace holdfast::worker
