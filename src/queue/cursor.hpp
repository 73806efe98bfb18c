#pragma once

#include <array>
#include <chrono>
#include <cstddef>

#include "holdfast/time.hpp"

namespace holdfast::queue {

inline constexpr int priorities = 10;

/// Where the scan of each priority level of one queue starts. Everything finished since the oldest
/// snapshot leaves dead entries at the front of the index, and a scan from the head walks them
/// again at each claim; so a scan starts where the last claim stopped. Not quite: enqueues that
/// commit a little late land behind that point, so the cursor trails by a window. While walking
/// from the head is cheap, it starts at the head and can miss nothing.
///
/// What was claimed within the window is walked again each time. Where that takes more than a
/// twentieth of the time (an old snapshot, and tens of thousands of jobs a second), the window
/// becomes shorter, and longer again when it can. It never gets too short for commits that are 20
/// or 50 ms late.
///
/// A scan that found less than it could take has seen everything up to now, jobs that others hold
/// and kinds that cannot be run here included: the next one starts there.
///
/// A rare look from the head is the safety net for jobs that were put further behind (a released
/// job, a past run_at). It limits itself: the next one waits until the last one's cost is at most
/// a twentieth of the time between. Where it stopped, the scans after it go on.
class Cursor {
 public:
  using Steady = std::chrono::steady_clock::time_point;

  Cursor();

  /// Where to start each level now. `from_head` tells that this scan is a look from the head.
  struct Start {
    std::array<Time, priorities> levels{};
    bool from_head = true;
  };
  [[nodiscard]] Start start(Time now, Steady steady) const;

  /// What the scan that start() planned has cost, how many jobs it took, and whether it saw
  /// everything due by `now`. Comes before its claimed().
  struct Seen {
    std::chrono::nanoseconds cost{};
    bool everything = false;
    Time now = {};
    std::size_t jobs = 0;
  };
  void scanned(const Start& start, const Seen& seen, Steady steady);

  /// A job of `priority` due at `run_at` was claimed.
  void claimed(int priority, Time run_at);

  /// Somebody put a job behind the cursor: the next scan starts at the head.
  void reset();

  /// How far it trails at the moment.
  [[nodiscard]] Duration window() const noexcept { return window_; }

  static constexpr Duration window_max = std::chrono::seconds(2);
  static constexpr Duration window_min = std::chrono::milliseconds(100);
  static constexpr std::chrono::nanoseconds cheap = std::chrono::milliseconds(2);

 private:
  [[nodiscard]] std::chrono::nanoseconds walked(const Seen& seen);
  void adapt_window(std::chrono::nanoseconds walk, Steady steady);

  std::array<Time, priorities> reached_{};
  bool trailing_ = false;
  Steady next_look_{};
  Duration window_ = window_max;
  std::chrono::nanoseconds job_cost_;  ///< of taking a job, without the walk to it
  std::chrono::nanoseconds walks_{};   ///< since the window was judged
  Steady judged_{};
};

}  // namespace holdfast::queue
