#pragma once

#include <span>
#include <vector>

#include "holdfast/job.hpp"
#include "store/statements.hpp"

namespace holdfast::queue {

/// Enqueues on whatever transaction the session is in; without one each statement is durable by
/// itself, and the answer is still right: a key that changes hands in between is looked at again.
/// Throws Error(invalid) before anything is written when a value breaks a rule of the table.
///
/// `now` is database time, for `delay`; a job without run_at or delay leaves it to the table.
[[nodiscard]] Enqueued enqueue(store::Access access, const NewJob& job, Time now);

/// The same for many, answers in the order given; all values are checked before the first is
/// written. Jobs without a unique key go in one statement.
[[nodiscard]] std::vector<Enqueued> enqueue(store::Access access, std::span<const NewJob> jobs,
                                            Time now);

}  // namespace holdfast::queue
