#include "db/write_gate.hpp"

#include <algorithm>

#include "holdfast/error.hpp"

namespace holdfast::db {

bool WriteGate::enter(Lane lane, std::chrono::milliseconds limit) {
  const auto self_id = std::this_thread::get_id();
  std::unique_lock lock(mutex_);
  if (!taken_) {
    taken_ = true;
    holder_ = self_id;
    return true;
  }
  refuse_holder();
  Waiter self;
  auto& queue = line(lane);
  queue.push_back(&self);
  if (self.turn.wait_for(lock, limit, [&] { return self.admitted; })) {
    holder_ = self_id;
    return true;
  }
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
  holder_ = {};
  next.turn.notify_one();
}

void WriteGate::require_not_holding() const {
  const std::lock_guard lock(mutex_);
  refuse_holder();
}

/// With the mutex held.
void WriteGate::refuse_holder() const {
  if (!taken_ || holder_ != std::this_thread::get_id()) return;
  throw Error(Code::misuse,
              "this thread has a transaction open on this file already (a done_in effect or a "
              "hook): write through its Session, not through a Store");
}

std::size_t WriteGate::waiting() const {
  const std::lock_guard lock(mutex_);
  return keepers_.size() + others_.size();
}

}  // namespace holdfast::db
