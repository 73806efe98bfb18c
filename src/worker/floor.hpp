#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <stop_token>
#include <unordered_map>
#include <vector>

#include "holdfast/time.hpp"
#include "worker/attempt_ptr.hpp"
#include "worker/steady.hpp"

namespace holdfast::worker {

/// The attempts whose handlers run or that are deferred, and the rule that a suspect runs alone: a
/// job that may kill its process takes no other with it. Any thread.
///
///  1. While a suspect waits or runs, nothing else enters, for at most `bound` each.
///  2. A suspect enters when nobody is left, or after `bound`.
///  3. Nothing enters while as many attempts are deferred as are allowed; so at most as many as
///  there
///     are threads come on top.
///  4. Every attempt that entered leaves exactly once; leaving again changes nothing.
class Floor {
 public:
  Floor(Duration bound, int deferred_max)
      : bound_(bound), deferred_max_(static_cast<std::size_t>(deferred_max)) {}

  /// Waits its turn. False when the floor was closed: the attempt must not start.
  [[nodiscard]] bool enter(const AttemptPtr& attempt, bool alone);

  /// The handler returned; the attempt stays until its settle handle answers.
  void defer(const detail::Attempt& attempt);

  void leave(const detail::Attempt& attempt);

  [[nodiscard]] std::vector<AttemptPtr> attempts() const;
  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] std::size_t deferred() const;

  /// True while a suspect waits or runs: nothing should be claimed for others.
  [[nodiscard]] bool reserved() const;

  /// Nobody enters any more.
  void close();

  /// Waits until everybody left; false when `until` came or `interrupt` was raised before that.
  [[nodiscard]] bool wait_empty(Steady until, const std::stop_token& interrupt);

 private:
  struct Guest {
    AttemptPtr attempt;
    bool deferred = false;
  };
  [[nodiscard]] bool wait_turn(std::unique_lock<std::mutex>& lock);
  [[nodiscard]] bool wait_alone(std::unique_lock<std::mutex>& lock, const detail::Attempt* suspect);

  const Duration bound_;
  const std::size_t deferred_max_;
  mutable std::mutex mutex_;  // guards all below
  std::condition_variable_any changed_;
  std::unordered_map<const detail::Attempt*, Guest> guests_;
  std::size_t deferred_ = 0;
  const detail::Attempt* suspect_ = nullptr;
  Steady reserved_until_{};
  bool closed_ = false;
};

}  // namespace holdfast::worker
