#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/job.hpp"
#include "holdfast/outcome.hpp"
#include "queue/hooks.hpp"
#include "queue/lifecycle.hpp"
#include "queue/policy.hpp"
#include "store/statements.hpp"

namespace holdfast::queue {

/// The identity of a lease: every write of a running job carries all three.
struct Lease {
  JobId id = 0;
  std::int64_t fence = 0;
  std::int64_t claim_id = 0;
  auto operator<=>(const Lease&) const = default;
};
[[nodiscard]] Lease lease_of(const JobRow& running);

/// Whether a row of `find_lease` or `lock_job` is still under this lease.
[[nodiscard]] bool is_held(const Row& row, const Lease& lease);

/// How one attempt ended.
struct Ending {
  Lease lease;
  std::string kind;
  Happened happened;
  Time started_at = {};
};

/// What became of an Ending. `held`: another transaction has the row locked at this moment; hand it
/// in again with the next round.
enum class Settlement { settled, already_settled, lease_lost, held };

/// What a settle needs to know besides the endings.
struct Settling {
  store::Access access;
  const Policies& policies;
  const Hooks& hooks;
  std::string_view worker;  ///< whose attempts they are
  Time now;                 ///< database time
};

/// Ends leases inside the transaction that the caller began, answers in the order given. Each
/// write is guarded by id, fence and claim: an ending whose lease is gone changes nothing and is
/// told apart (`already_settled`: by this very lease before). Waits for no row. Hooks of the kinds
/// run in savepoints; a hook that throws leaves its job non-final with a back-off.
[[nodiscard]] std::vector<Settlement> settle(const Settling& settling,
                                             std::span<const Ending> endings);

/// True when this very lease was settled by its holder, whatever the answer that arrived; false
/// when it is still open, or was ended by a sweep.
[[nodiscard]] bool settled_by(store::Access access, const Lease& lease);

/// One ending, through the same rules.
[[nodiscard]] Settlement settle_one(const Settling& settling, const Ending& ending);

/// Ends the lease of a row that this transaction has locked (`job` as it is in the table).
[[nodiscard]] Settlement settle_locked(const Settling& settling, const JobRow& job,
                                       const Happened& happened, Time started_at);

}  // namespace holdfast::queue
