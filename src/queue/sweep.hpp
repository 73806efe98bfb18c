#pragma once

#include <string>

#include "db/connection.hpp"
#include "queue/hooks.hpp"
#include "queue/policy.hpp"
#include "store/statements.hpp"

namespace holdfast::queue {

/// What a sweep did.
struct Swept {
  int claims = 0;  ///< judged lost
  int jobs = 0;    ///< ended as lost
  int held = 0;    ///< left for the next round: somebody holds the row, or it cannot be written

  /// Why the last of those could not be written; empty when they are all just held.
  std::string trouble = {};
};

/// The one recovery path for every kind of death: ends the jobs of claims whose lease is past, on
/// all queues, whoever served them. `now` is the database's time, read just before; a claim is
/// marked lost under the very end that was read, so a renewal in between wins; its jobs are ended
/// by id, fence and claim, so a settle in between wins. Each claim has transactions of its own, a
/// few milliseconds long, and a job that cannot be written keeps no other from being recovered: it
/// is counted as held and comes again with the next round.
///
/// Throws Error when the database cannot be read or written at all.
[[nodiscard]] Swept sweep(Time now, db::Connection& connection, const store::StatementSet& sql,
                          const Policies& policies, const Hooks& hooks);

/// How many workers have leases that are past and that nobody has judged yet.
[[nodiscard]] int expired_workers(store::Access access, Time now);

}  // namespace holdfast::queue
