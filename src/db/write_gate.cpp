#include "db/write_gate.hpp"

#include <algorithm>

namespace holdfast::db {

bool WriteGate::enter(Lane lane, std::chrono::milliseconds limit) {
  std::unique_lock lock(mutex_);
  if (!taken_) {
    taken_ = true;
    return true;
  }
  Waiter self;
  auto& queue = line(lane);
  queue.push_back(&self);
  if (self.turn.wait_for(lock, limit, [&] { return self.admitted; })) return true;
  queue.erase(std::find(queue.begin(), queue.end(), &self));
  return false;
}

void WriteGate::leave() {
  const std::lock_guard lock(mutex_);
  auto& queue = keepers_.empty() ? others_ : keepers_;
  if (queue.empty()) {
    taken_ = false;
    return;
  }
  // Handed over, not opened: a writer in a tight loop would otherwise take it again every time
  // before the one it woke is on a core.
  Waiter& next = *queue.front();
  queue.pop_front();
  next.admitted = true;
  next.turn.notify_one();
}

std::size_t WriteGate::waiting() const {
  const std::lock_guard lock(mutex_);
  return keepers_.size() + others_.size();
}

}  // namespace holdfast::db
