#include "queue/cursor.hpp"

#include <algorithm>

namespace holdfast::queue {

namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

/// Taking a job costs no more than that; what a scan takes longer is its walk.
constexpr nanoseconds job_cost_max = microseconds(40);

/// The round trip of a scan that takes little.
constexpr nanoseconds scan_cost = microseconds(500);

/// Scans of fewer jobs tell little about the cost of one.
constexpr std::size_t jobs_telling = 32;

/// The window is judged by what the walks took in such a time: more than a twentieth of it is too
/// much, less than a fiftieth is little.
constexpr milliseconds judge_interval{250};

}  // namespace

Cursor::Cursor() : job_cost_(job_cost_max) {}

Cursor::Start Cursor::start(Time now, Steady steady) const {
  Start start;
  start.from_head = !trailing_ || steady >= next_look_;
  if (start.from_head) return start;
  for (std::size_t level = 0; level < reached_.size(); ++level) {
    start.levels.at(level) = std::min(reached_.at(level), now - window_);
  }
  return start;
}

void Cursor::claimed(int priority, Time run_at) {
  Time& reached = reached_.at(static_cast<std::size_t>(priority));
  reached = std::max(reached, run_at);
}

void Cursor::scanned(const Start& start, const Seen& seen, Steady steady) {
  if (start.from_head || seen.everything) reached_.fill(seen.everything ? seen.now : Time{});
  const nanoseconds walk = walked(seen);
  if (!start.from_head) return adapt_window(walk, steady);
  trailing_ = walk > cheap;
  next_look_ = steady + std::max<nanoseconds>(20 * walk, std::chrono::seconds(1));
}

/// The least that a job has cost tells what is not walking; forgotten slowly, as machines change.
nanoseconds Cursor::walked(const Seen& seen) {
  if (seen.jobs >= jobs_telling) {
    const nanoseconds each = seen.cost / static_cast<nanoseconds::rep>(seen.jobs);
    job_cost_ = std::min({job_cost_ + job_cost_ / 4096, each, job_cost_max});
  }
  const nanoseconds work = scan_cost + job_cost_ * static_cast<nanoseconds::rep>(seen.jobs);
  return std::max(nanoseconds{}, seen.cost - work);
}

void Cursor::adapt_window(nanoseconds walk, Steady steady) {
  walks_ += walk;
  const nanoseconds passed = steady - judged_;
  if (passed < judge_interval) return;
  // After a break the walks of long ago say nothing.
  if (passed < 8 * judge_interval) {
    if (walks_ * 20 > passed) window_ = std::max(window_ / 2, window_min);
    if (walks_ * 50 < passed) window_ = std::min(window_ * 5 / 4, window_max);
  }
  walks_ = {};
  judged_ = steady;
}

void Cursor::reset() { trailing_ = false; }

}  // namespace holdfast::queue
