#include "worker/tally.hpp"

#include <algorithm>

namespace holdfast::worker {

void Tally::ended(queue::Event event, queue::Settlement settlement) noexcept {
  if (settlement == queue::Settlement::held) return;
  if (settlement == queue::Settlement::lease_lost) {
    ++leases_lost_;
    return;
  }
  switch (event) {
    case queue::Event::succeeded: ++succeeded_; break;
    case queue::Event::released: ++released_; break;
    case queue::Event::failed:
    case queue::Event::undecodable:
    case queue::Event::quarantine_decided:
    case queue::Event::timed_out: ++failed_; break;
    default: break;
  }
}

void Tally::abandoned(JobId job) {
  const std::lock_guard lock(mutex_);
  abandoned_.push_back(job);
}

void Tally::returned(JobId job) {
  const std::lock_guard lock(mutex_);
  const auto place = std::find(abandoned_.begin(), abandoned_.end(), job);
  if (place != abandoned_.end()) abandoned_.erase(place);
}

std::size_t Tally::stuck() const {
  const std::lock_guard lock(mutex_);
  return abandoned_.size();
}

WorkerReport Tally::report() const {
  const std::lock_guard lock(mutex_);
  return {started_, succeeded_, failed_, leases_lost_, released_, abandoned_};
}

}  // namespace holdfast::worker
