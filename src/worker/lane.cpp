#include "worker/lane.hpp"

#include <algorithm>

namespace holdfast::worker {

namespace {

using std::chrono::milliseconds;

/// How long a job should wait in a buffer at most, as far as run times can be foretold, and after
/// how long it is handed back when they could not.
constexpr milliseconds wait_expected{100};
constexpr milliseconds wait_endured{1'000};

/// Weight of a new run time in the average.
constexpr double freshness = 0.125;

}  // namespace

bool Lane::put(std::span<const AttemptPtr> attempts) {
  const std::lock_guard lock(mutex_);
  if (closed_) return false;
  const Steady now = steady_now();
  for (const AttemptPtr& attempt : attempts) buffer_.push_back({attempt, now});
  attempts.size() == 1 ? filled_.notify_one() : filled_.notify_all();
  return true;
}

std::optional<Lane::Taken> Lane::take(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  filled_.wait(lock, stop, [&] { return closed_ || !buffer_.empty(); });
  if (stop.stop_requested() || buffer_.empty()) return std::nullopt;
  Taken taken{std::move(buffer_.front().attempt), steady_now()};
  buffer_.pop_front();
  busy_.push_back(taken.at);
  return taken;
}

void Lane::done(Steady taken_at, std::optional<Duration> ran) {
  const std::lock_guard lock(mutex_);
  const auto place = std::find(busy_.begin(), busy_.end(), taken_at);
  if (place != busy_.end()) busy_.erase(place);
  if (!ran) return;
  const auto us = static_cast<double>(ran->count());
  average_us_ = average_us_ ? *average_us_ + freshness * (us - *average_us_) : us;
}

void Lane::shrink() {
  const std::lock_guard lock(mutex_);
  --threads_;
}

// Threads whose job takes much longer than usual are not counted on.
int Lane::prefetch(Steady now) const {
  const auto slow = [&](Steady since) { return now - since > wait_expected; };
  const auto quick = threads_ - static_cast<int>(std::count_if(busy_.begin(), busy_.end(), slow));
  if (!average_us_) return quick;
  const double wait_us = std::chrono::duration<double, std::micro>(wait_expected).count();
  if (*average_us_ > wait_us) return 0;
  // Two claims, so that one is on its way while the other is worked.
  return static_cast<int>(
      std::min<double>(quick * wait_us / std::max(*average_us_, 1.0), 2 * batch_));
}

int Lane::room(Steady now) const {
  const std::lock_guard lock(mutex_);
  if (closed_) return 0;
  const int wanted = idle() + prefetch(now) - static_cast<int>(buffer_.size());
  return std::clamp(wanted, 0, batch_);
}

std::size_t Lane::buffered() const {
  const std::lock_guard lock(mutex_);
  return buffer_.size();
}

std::vector<AttemptPtr> Lane::take_back(Steady now) {
  std::vector<AttemptPtr> back;
  const std::lock_guard lock(mutex_);
  while (!buffer_.empty() && now - buffer_.front().since > wait_endured) {
    back.push_back(std::move(buffer_.front().attempt));
    buffer_.pop_front();
  }
  return back;
}

std::vector<AttemptPtr> Lane::take_all() {
  const std::lock_guard lock(mutex_);
  return empty_buffer();
}

std::vector<AttemptPtr> Lane::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  filled_.notify_all();
  return empty_buffer();
}

std::vector<AttemptPtr> Lane::empty_buffer() {
  std::vector<AttemptPtr> waiting;
  for (Waiting& each : buffer_) waiting.push_back(std::move(each.attempt));
  buffer_.clear();
  return waiting;
}

}  // namespace holdfast::worker
