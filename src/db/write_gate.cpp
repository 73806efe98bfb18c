#include "db/write_gate.hpp"

#include <algorithm>

#include "holdfast/error.hpp"

namespace holdfast::db {

// Who comes goes to the end of its line even when the gate is open: a writer in a tight loop would
// otherwise take it again every time before the one it called is on a core.
bool WriteGate::enter(Lane lane, std::chrono::milliseconds limit) {
  const Steady give_up = std::chrono::steady_clock::now() + limit;
  std::unique_lock lock(mutex_);
  refuse_holder();
  Waiter self;
  Line& queue = line(lane);
  queue.push_back(&self);
  keepers_waiting_ = static_cast<int>(keepers_.size());
  while (true) {
    const bool next = is_next(self);
    const Steady now = std::chrono::steady_clock::now();
    if (next && now >= opens_for(lane)) break;
    if (now >= give_up) {
      queue.erase(std::find(queue.begin(), queue.end(), &self));
      keepers_waiting_ = static_cast<int>(keepers_.size());
      call_next();
      return false;
    }
    self.turn.wait_until(lock, next ? std::min(give_up, opens_for(lane)) : give_up);
  }
  queue.pop_front();
  keepers_waiting_ = static_cast<int>(keepers_.size());
  taken_ = true;
  holder_ = std::this_thread::get_id();
  return true;
}

void WriteGate::leave(Steady rest_until) {
  const std::lock_guard lock(mutex_);
  taken_ = false;
  holder_ = {};
  rest_until_ = std::max(rest_until_, rest_until);
  call_next();
}

void WriteGate::rest(Steady until) {
  const std::lock_guard lock(mutex_);
  rest_until_ = until;
  call_next();
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

bool WriteGate::is_next(const Waiter& waiter) const {
  if (taken_) return false;
  const Line& queue = keepers_.empty() ? others_ : keepers_;
  return queue.front() == &waiter;
}

WriteGate::Steady WriteGate::opens_for(Lane lane) const {
  return lane == Lane::keeper ? Steady{} : rest_until_;
}

void WriteGate::call_next() {
  const Line& queue = keepers_.empty() ? others_ : keepers_;
  if (!taken_ && !queue.empty()) queue.front()->turn.notify_one();
}

}  // namespace holdfast::db
