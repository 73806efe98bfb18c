#pragma once

#include <atomic>
#include <mutex>
#include <vector>

#include "holdfast/worker.hpp"
#include "queue/lifecycle.hpp"
#include "queue/settle.hpp"

namespace holdfast::worker {

/// Counts what the worker did. Any thread.
class Tally {
 public:
  void started() noexcept { ++started_; }

  /// What became of an attempt that ended with `event`.
  void ended(queue::Event event, queue::Settlement settlement) noexcept;

  /// A handler was given up on, or came back after all.
  void abandoned(JobId job);
  void returned(JobId job);

  /// Handlers that were given up on and still run.
  [[nodiscard]] std::size_t stuck() const;

  [[nodiscard]] WorkerReport report() const;

 private:
  std::atomic<std::int64_t> started_ = 0;
  std::atomic<std::int64_t> succeeded_ = 0;
  std::atomic<std::int64_t> failed_ = 0;
  std::atomic<std::int64_t> leases_lost_ = 0;
  std::atomic<std::int64_t> released_ = 0;
  mutable std::mutex mutex_;  // guards abandoned_
  std::vector<JobId> abandoned_;
};

}  // namespace holdfast::worker
