#include "worker/open_claims.hpp"

#include <algorithm>

#include "worker/attempt.hpp"

namespace holdfast::worker {

namespace {

using std::chrono::milliseconds;

/// A little under a third, so that a late wake-up still keeps the promise of a third.
Duration renewal_interval(Duration lease) { return lease * 3 / 10; }

}  // namespace

void OpenClaims::open(std::int64_t claim, Duration lease, Steady began,
                      std::span<const AttemptPtr> attempts) {
  Open open{lease, began + lease, began + renewal_interval(lease)};
  for (const AttemptPtr& attempt : attempts) open.attempts.emplace(attempt->job().id, attempt);
  const std::lock_guard lock(mutex_);
  open_.emplace(claim, std::move(open));
}

std::vector<AttemptPtr> OpenClaims::attempts_of(const Open& open) {
  std::vector<AttemptPtr> attempts;
  for (const auto& [id, attempt] : open.attempts) attempts.push_back(attempt);
  return attempts;
}

Steady OpenClaims::safe_until(const Open& open) {
  return open.until - std::max<Duration>(open.lease / 10, milliseconds(100));
}

std::vector<std::int64_t> OpenClaims::closed_by(std::span<const queue::Lease> answered) const {
  std::unordered_map<std::int64_t, std::size_t> ended;
  const std::lock_guard lock(mutex_);
  for (const queue::Lease& lease : answered) {
    const auto open = open_.find(lease.claim_id);
    if (open != open_.end() && open->second.attempts.contains(lease.id)) ++ended[lease.claim_id];
  }
  std::vector<std::int64_t> closed;
  for (const auto& [claim, count] : ended) {
    if (open_.at(claim).attempts.size() == count) closed.push_back(claim);
  }
  std::sort(closed.begin(), closed.end());  // the order in which everybody locks claims
  return closed;
}

void OpenClaims::answered(std::span<const queue::Lease> answered) {
  std::vector<AttemptPtr> gone;  // let go after the lock
  const std::lock_guard lock(mutex_);
  for (const queue::Lease& lease : answered) {
    const auto open = open_.find(lease.claim_id);
    if (open == open_.end()) continue;
    const auto attempt = open->second.attempts.find(lease.id);
    if (attempt == open->second.attempts.end()) continue;
    gone.push_back(std::move(attempt->second));
    open->second.attempts.erase(attempt);
    if (open->second.attempts.empty()) open_.erase(open);
  }
}

std::vector<OpenClaims::Renewal> OpenClaims::due(Steady now) const {
  const std::lock_guard lock(mutex_);
  std::vector<Renewal> all;
  bool any = false;
  for (const auto& [claim, open] : open_) {
    if (open.lost) continue;
    any = any || open.renew_at <= now;
    all.push_back({claim, open.lease});
  }
  if (!any) all.clear();
  return all;
}

Steady OpenClaims::next_renewal() const {
  const std::lock_guard lock(mutex_);
  Steady next = never;
  for (const auto& [claim, open] : open_) {
    if (!open.lost) next = std::min(next, open.renew_at);
  }
  return next;
}

void OpenClaims::renewed(std::int64_t claim, Steady asked, Steady locked) {
  const std::lock_guard lock(mutex_);
  const auto place = open_.find(claim);
  if (place == open_.end()) return;
  Open& open = place->second;
  open.until = locked + open.lease;
  // In time with the third before, but not at once again after a long wait for the lock.
  const Duration interval = renewal_interval(open.lease);
  open.renew_at = std::max(asked + interval, locked + interval / 2);
  open.expiring = false;
}

std::vector<AttemptPtr> OpenClaims::lost(std::int64_t claim) {
  const std::lock_guard lock(mutex_);
  const auto place = open_.find(claim);
  if (place == open_.end()) return {};
  place->second.lost = true;
  return attempts_of(place->second);
}

std::vector<AttemptPtr> OpenClaims::expiring(Steady now) {
  const std::lock_guard lock(mutex_);
  std::vector<AttemptPtr> attempts;
  for (auto& [claim, open] : open_) {
    if (open.lost || open.expiring || safe_until(open) > now) continue;
    open.expiring = true;
    for (const AttemptPtr& attempt : attempts_of(open)) attempts.push_back(attempt);
  }
  return attempts;
}

Steady OpenClaims::next_expiry() const {
  const std::lock_guard lock(mutex_);
  Steady next = never;
  for (const auto& [claim, open] : open_) {
    if (!open.lost && !open.expiring) next = std::min(next, safe_until(open));
  }
  return next;
}

bool OpenClaims::empty() const {
  const std::lock_guard lock(mutex_);
  return open_.empty();
}

std::size_t OpenClaims::attempts() const {
  const std::lock_guard lock(mutex_);
  std::size_t attempts = 0;
  for (const auto& [claim, open] : open_) attempts += open.attempts.size();
  return attempts;
}

}  // namespace holdfast::worker
