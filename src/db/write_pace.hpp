#pragma once

#include <chrono>

namespace holdfast::db {

/// How long this process leaves the write lock of a file alone after it has used it. Other writers
/// of the file are ordinary connections whose built-in back-off asks at 1, 2, 5, 10 … 100 ms: what
/// counts for them is the share of time in which the lock is free, and that a pause comes for sure
/// before they give up.
///
///  1. Time that is due to others is a debt: using the lock adds to it, leaving it pays it off,
///     whatever the reason (handlers run, nothing to do). So a process that is not busy never
///     waits, and many tiny transactions share a pause.
///  2. While others are seen to write, and in the first moments, the lock is left for as long as it
///     was used at least. Where taking it means waiting for them, they are many, and the share of
///     this process shrinks; it grows again when the lock is found free. So several busy processes
///     together still leave a third of the time to the application.
///  3. Alone, it leaves the lock for one pause of over 100 ms after each four seconds of use, and
///     only if it has hardly let go of it otherwise: a newcomer asks at least each 100 ms and gives
///     up after five seconds by default.
///
/// Times are handed in. Only for who holds the gate.
class WritePace {
 public:
  using Steady = std::chrono::steady_clock::time_point;
  using Length = std::chrono::steady_clock::duration;

  /// What a writer found when it got the lock.
  struct Found {
    bool others_wrote = false;  ///< since this process wrote last
    Length waited = {};         ///< for one of them to let go of it
  };
  void begun(Steady now, Found found);

  /// Others have written, found by one who does not go by the pace: the lease keeper, which is rare
  /// and would put off everybody else.
  void note_others(Steady now);

  /// The lock was left at `now`. Returns until when it should be left alone.
  [[nodiscard]] Steady ended(Steady now);

  /// True while others count as busy with the file.
  [[nodiscard]] bool has_neighbours(Steady now) const { return now < neighbours_until_; }

  /// How long they do after a commit of theirs: one that comes alone may be a sign of life of
  /// another worker, one that follows another within this time is of somebody at work.
  static constexpr Length memory = std::chrono::seconds(1);
  static constexpr Length memory_of_one = std::chrono::milliseconds(100);

  /// The longest pause alone; longer than the built-in back-off ever sleeps.
  static constexpr Length pause_alone = std::chrono::milliseconds(105);

  /// Shorter pauses are not worth a sleep.
  static constexpr Length pause_least = std::chrono::milliseconds(1);

  /// However many they are: settles are not kept waiting longer than that.
  static constexpr Length pause_max = std::chrono::seconds(1);

 private:
  void adapt(Length waited);
  void pay(Length left_alone, bool beside);

  Steady begun_at_{};
  Steady ended_at_{};
  Steady wrote_at_{};  ///< others, as far as seen
  Steady neighbours_until_{};
  Length held_{};     ///< the last time
  double share_ = 0;  ///< of the time that the lock may be used, beside neighbours
  Length debt_{};
};

}  // namespace holdfast::db
