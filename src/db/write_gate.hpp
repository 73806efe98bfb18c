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
  /// Waits for the gate. False when it was not free within `limit`. Throws Error(misuse) when the
  /// thread that asks holds it already, by another connection: it would wait for itself.
  [[nodiscard]] bool enter(Lane lane, std::chrono::milliseconds limit);

  /// Hands the gate to the next in line. Only for who entered.
  void leave();

  /// Throws Error(misuse) when the calling thread is the one that has entered.
  void require_not_holding() const;

  /// How many wait at this moment.
  [[nodiscard]] std::size_t waiting() const;

 private:
  void refuse_holder() const;
  struct Waiter {
    std::condition_variable turn;
    bool admitted = false;
  };

  [[nodiscard]] std::deque<Waiter*>& line(Lane lane) {
    return lane == Lane::keeper ? keepers_ : others_;
  }

  mutable std::mutex mutex_;  // guards all below
  bool taken_ = false;
  std::thread::id holder_;  ///< of the gate, while it is taken
  std::deque<Waiter*> keepers_;
  std::deque<Waiter*> others_;
};

}  // namespace holdfast::db
