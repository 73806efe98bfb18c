#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "holdfast/time.hpp"
#include "queue/settle.hpp"
#include "worker/floor.hpp"
#include "worker/steady.hpp"

namespace holdfast::worker {

/// The claims of this worker that have jobs without a written answer: what is renewed, what a lost
/// lease takes with it, and when a claim's row may go. Any thread.
///
/// Ends of leases are measured from just before the transaction that set them began, by a clock
/// that does not jump: the database never hands a job out earlier than this says.
class OpenClaims {
 public:
  void open(std::int64_t claim, Duration lease, Steady began, std::span<const AttemptPtr> attempts);

  /// The claims that have no job left once these leases are answered.
  [[nodiscard]] std::vector<std::int64_t> closed_by(std::span<const queue::Lease> answered) const;
  void answered(std::span<const queue::Lease> answered);

  struct Renewal {
    std::int64_t claim = 0;
    Duration lease = {};
  };

  /// Claims to renew now: none unless one is due, and then all of them. A commit costs the same for
  /// one row as for a hundred, and on a slow disk renewals one by one leave no time for settling.
  [[nodiscard]] std::vector<Renewal> due(Steady now) const;
  [[nodiscard]] Steady next_renewal() const;

  /// A renewal that was asked for at `asked` counts from `locked`, when the lock was had.
  void renewed(std::int64_t claim, Steady asked, Steady locked);

  /// The claim is gone. Returns its attempts, to be told; they answer `lease_lost` by themselves.
  [[nodiscard]] std::vector<AttemptPtr> lost(std::int64_t claim);

  /// Attempts whose lease will run out before it is renewed, as far as this process can know. Each
  /// claim is reported once until it is renewed.
  [[nodiscard]] std::vector<AttemptPtr> expiring(Steady now);
  [[nodiscard]] Steady next_expiry() const;

  [[nodiscard]] bool empty() const;

  /// Jobs without a written answer.
  [[nodiscard]] std::size_t attempts() const;

 private:
  struct Open {
    Duration lease = {};
    Steady until = {};
    Steady renew_at = {};
    bool lost = false;
    bool expiring = false;
    std::unordered_map<JobId, AttemptPtr> attempts = {};
  };
  [[nodiscard]] static std::vector<AttemptPtr> attempts_of(const Open& open);
  [[nodiscard]] static Steady safe_until(const Open& open);

  mutable std::mutex mutex_;  // guards open_
  std::unordered_map<std::int64_t, Open> open_;
};

}  // namespace holdfast::worker
