#pragma once

#include "queue/settle.hpp"

/// Writes what `decide` answered: between the pure rule and the tables.
namespace holdfast::queue {

/// Reads what decide() wants to know about a locked job.
[[nodiscard]] Facts facts_of(const Settling& settling, const JobRow& job, const Happened& happened,
                             const RetryPolicy& policy);

/// Uniform in [0, 1), for the spread of back-offs.
[[nodiscard]] double random_spread();

/// Attempts just before this one, of the same budget, that were lost one after the other; ten at
/// most are looked at.
[[nodiscard]] int lost_in_a_row(store::Access access, const JobRow& job);

/// Writes a change under the lease of a row that this transaction has locked, hooks included. A
/// hook may give its own job a newer intent: then the job runs again. Throws Error, `internal` when
/// the row was not as it was locked; the caller rolls back then.
void apply(const Settling& settling, const JobRow& job, const Change& decided, Time started_at);

}  // namespace holdfast::queue
