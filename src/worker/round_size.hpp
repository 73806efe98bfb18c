#pragma once

#include <cstddef>

#include "holdfast/session.hpp"
#include "holdfast/time.hpp"

namespace holdfast::worker {

/// How many jobs a round settles and claims at most. On SQLite nobody else can write while a round
/// is written, so it is as long as fits in a few milliseconds. The commit does not count: what a
/// slow disk takes is the same for one job and for five hundred, and smaller rounds would only have
/// it take that more often. On PostgreSQL a round is in nobody's way.
class RoundSize {
 public:
  RoundSize(Dialect dialect, int batch) : batch_(batch), bounded_(dialect == Dialect::sqlite) {}

  [[nodiscard]] int jobs() const noexcept;

  /// A round has written the ends and claims of so many jobs; `beside` others who write.
  struct Round {
    std::size_t jobs = 0;
    std::chrono::nanoseconds work = {};    ///< from the begin to the commit
    std::chrono::nanoseconds commit = {};  ///< that it took
    bool beside = false;
  };
  void took(const Round& round) noexcept;

  /// That a round may take up to its commit: alone, and beside others who write. Beside them too it
  /// takes as long as the commit does anyway, so that a slow disk has something to do each time.
  static constexpr std::chrono::nanoseconds work_alone = std::chrono::microseconds(7000);
  static constexpr std::chrono::nanoseconds work_beside = std::chrono::microseconds(2500);

  /// A worker with expensive hooks still settles so many at once.
  static constexpr int jobs_least = 16;

 private:
  int batch_;
  bool bounded_;
  bool beside_ = false;
  double job_ns_ = 0;     ///< exponential average of an end or a claim; 0 before the first
  double commit_ns_ = 0;  ///< exponential average
};

}  // namespace holdfast::worker
