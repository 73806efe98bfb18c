#pragma once

#include "holdfast/clock.hpp"
#include "holdfast/time.hpp"

namespace holdfast::db {

/// Database time without asking the database: a steady clock plus an offset that is read now and
/// then. One thread at a time.
class PostgresClock {
 public:
  using Steady = std::chrono::steady_clock::time_point;

  /// `clock` must outlive it.
  explicit PostgresClock(const Clock& clock) : clock_(&clock) {}

  [[nodiscard]] Steady steady() const { return clock_->steady(); }

  /// Takes a reading: the server said `server` to a question asked at `asked` and answered at
  /// `answered`. It is taken for the middle, so it is wrong by half of the round trip at most.
  void read(Steady asked, Steady answered, Time server);

  [[nodiscard]] Time now() const;

  /// Whether the last reading took so long that another one would be worth its round trip.
  [[nodiscard]] bool doubtful() const;

  /// Whether the last reading is so old that the server's clock may have been set since.
  [[nodiscard]] bool stale() const;

  /// How far the server's clock moved against the steady one since the last call; zero when that
  /// is less than the readings can tell.
  [[nodiscard]] Duration jump();

 private:
  /// The server's time of day at the steady clock's zero, and how wrong that can be.
  struct Reading {
    Duration offset = {};
    Duration doubt = {};
  };

  const Clock* clock_;
  Reading current_ = {};
  Steady read_at_ = {};
  Reading reported_ = {};
  bool reported_once_ = false;
};

}  // namespace holdfast::db
