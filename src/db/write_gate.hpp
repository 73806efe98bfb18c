#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "db/connection.hpp"

namespace holdfast::db {

/// Where the writers of one process wait for their turn, so that the file's lock is fought over
/// between processes only. First come, first served, but the lease keeper goes before everybody
/// who still waits: a renewal must not stand behind a queue of bulk work. Any thread.
class WriteGate {
 public:
  using Steady = std::chrono::steady_clock::time_point;

  /// Waits for the gate. False when it was not free within `limit`. Throws Error(misuse) when the
  /// thread that asks holds it already, by another connection: it would wait for itself.
  [[nodiscard]] bool enter(Lane lane, std::chrono::milliseconds limit);

  /// Hands the gate to the next in line, but to nobody except the keeper before `rest_until`, or
  /// before the end of a rest that was asked for earlier. Only for who entered.
  void leave(Steady rest_until = {});

  /// The same for who has more to do that the keeper need not wait for: nobody else gets in before
  /// rest().
  void leave_to_keeper() { leave(Steady::max()); }

  /// Ends that: the others may enter from `until` on.
  void rest(Steady until);

  /// True while the keeper waits for the gate.
  [[nodiscard]] bool keeper_waits() const noexcept { return keepers_waiting_ > 0; }

  /// Throws Error(misuse) when the calling thread is the one that has entered.
  void require_not_holding() const;

  /// How many wait at this moment.
  [[nodiscard]] std::size_t waiting() const;

 private:
  void refuse_holder() const;
  struct Waiter {
    std::condition_variable turn;
  };
  using Line = std::deque<Waiter*>;

  [[nodiscard]] Line& line(Lane lane) { return lane == Lane::keeper ? keepers_ : others_; }
  [[nodiscard]] bool is_next(const Waiter& waiter) const;
  [[nodiscard]] Steady opens_for(Lane lane) const;
  void call_next();

  mutable std::mutex mutex_;  // guards all below
  bool taken_ = false;
  std::thread::id holder_;                ///< of the gate, while it is taken
  Steady rest_until_{};                   ///< the others stay out until then
  std::atomic<int> keepers_waiting_ = 0;  ///< the length of the next, for those who hold no lock
  Line keepers_;
  Line others_;
};

}  // namespace holdfast::db
