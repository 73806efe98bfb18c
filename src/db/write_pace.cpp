#include "db/write_pace.hpp"

#include <algorithm>
#include <cmath>

namespace holdfast::db {

namespace {

using Length = WritePace::Length;

/// Beside neighbours: no more than half of the time, and no less than one part in fifty.
constexpr double share_max = 0.5;
constexpr double share_min = 0.02;

/// The share grows by steps and shrinks by a factor, which makes shares of processes that do the
/// same alike. Two such processes meet at 0.32 each, eight at 0.09: two thirds of the time.
constexpr double share_step = 0.03;
constexpr double share_factor = 0.8;

/// Alone: one part in forty of the time in use, unless one part in six is left anyway.
constexpr double owed_alone = 1.0 / 40;
constexpr double paid_alone = 1.0 / 8;

Length scaled(Length length, double by) { return std::chrono::duration_cast<Length>(length * by); }

}  // namespace

void WritePace::begun(Steady now, Found found) {
  const bool had = has_neighbours(now);
  if (found.others_wrote) note_others(now);
  if (ended_at_ == Steady{}) neighbours_until_ = std::max(neighbours_until_, now + memory_of_one);
  const bool has = has_neighbours(now);
  if (has && !had) {
    share_ = share_max;
    debt_ = {};
  } else if (has) {
    adapt(found.waited);
  }
  if (ended_at_ != Steady{}) pay(now - ended_at_, has);
  begun_at_ = now;
}

void WritePace::note_others(Steady now) {
  const bool at_work = wrote_at_ != Steady{} && now - wrote_at_ <= memory;
  wrote_at_ = now;
  neighbours_until_ = std::max(neighbours_until_, now + (at_work ? memory : memory_of_one));
}

/// A wait that is short beside what this process takes itself tells of one neighbour in the middle
/// of a commit, not of a crowd.
void WritePace::adapt(Length waited) {
  if (waited == Length{}) {
    share_ += share_step;
  } else {
    const double ratio = static_cast<double>(waited.count()) /
                         static_cast<double>(std::max<Length::rep>(held_.count(), 1));
    share_ *= std::pow(share_factor, std::min(1.0, 2 * ratio));
  }
  share_ = std::clamp(share_, share_min, share_max);
}

/// Alone, only a whole pause counts in full: somebody who asks each 100 ms may miss any other.
void WritePace::pay(Length left_alone, bool beside) {
  const bool in_full = beside || left_alone >= pause_alone;
  debt_ = std::max(Length{}, debt_ - (in_full ? left_alone : scaled(left_alone, paid_alone)));
}

WritePace::Steady WritePace::ended(Steady now) {
  const bool beside = has_neighbours(now);
  held_ = now - begun_at_;
  const Length pause_longest = beside ? pause_max : pause_alone;
  debt_ += scaled(held_, beside ? (1 - share_) / share_ : owed_alone);
  debt_ = std::min(debt_, pause_longest);
  ended_at_ = now;
  return debt_ < (beside ? pause_least : pause_alone) ? now : now + debt_;
}

}  // namespace holdfast::db
