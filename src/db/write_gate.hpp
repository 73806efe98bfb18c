#pragma once

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

  /// How many wait at this moment.
  [[nodiscard]] std::size_t waiting() const;

 private:
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
  std::thread::id holder_;  ///< of the gate, while it is taken
  Steady rest_until_{};     ///< the others stay out until then
  Line keepers_;
  Line others_;
};

}  // namespace holdfast::db
