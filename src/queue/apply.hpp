#pragma once

#include "queue/settle.hpp"

/// Writes what `decide` answered. Between the pure rule and the tables; used by settle alone.
namespace holdfast::queue {

/// Reads what decide() wants to know about a locked job.
[[nodiscard]] Facts facts_of(const Settling& settling, const JobRow& job, const Happened& happened,
                             const RetryPolicy& policy);

/// Uniform in [0, 1), for the spread of back-offs.
[[nodiscard]] double random_spread();

/// Writes a change under the job's lease, hooks included. False when the lease was gone: nothing
/// of it is written then.
[[nodiscard]] bool apply(const Settling& settling, const JobRow& job, const Change& decided,
                         Time started_at);

}  // namespace holdfast::queue
