#include "queue/cursor.hpp"

#include <algorithm>

namespace holdfast::queue {

Cursor::Start Cursor::start(Time now, Steady steady) const {
  Start start;
  start.from_head = !trailing_ || steady >= next_look_;
  if (start.from_head) return start;
  for (std::size_t level = 0; level < reached_.size(); ++level) {
    start.levels.at(level) = std::min(reached_.at(level), now - window);
  }
  return start;
}

void Cursor::claimed(int priority, Time run_at) {
  Time& reached = reached_.at(static_cast<std::size_t>(priority));
  reached = std::max(reached, run_at);
}

void Cursor::scanned(const Start& start, const Seen& seen, Steady steady) {
  if (start.from_head || seen.everything) reached_.fill(seen.everything ? seen.now : Time{});
  if (!start.from_head) return;
  trailing_ = seen.cost > cheap;
  next_look_ = steady + std::max<std::chrono::nanoseconds>(20 * seen.cost, std::chrono::seconds(1));
}

void Cursor::reset() { trailing_ = false; }

}  // namespace holdfast::queue
