#pragma once

#include <optional>
#include <vector>

#include "holdfast/store.hpp"
#include "store/statements.hpp"

/// Reading jobs for people and for actions.
namespace holdfast::queue {

/// The job wherever it is: live, in quarantine or finished. A job that moves between the tables
/// while they are read one after the other is still found.
[[nodiscard]] std::optional<JobRow> find(store::Access access, JobId id, Time now);

/// The live job that holds the unique key of `job`.
[[nodiscard]] std::optional<JobId> find_key_holder(store::Access access, const JobRow& job);

/// A page of jobs, newest first.
[[nodiscard]] std::vector<JobRow> list(store::Access access, const JobFilter& filter, Time now);

/// Counts by queue and state.
[[nodiscard]] std::vector<QueueStats> stats(store::Access access, Time now);

/// `<origin>:<id>:<revision>`. Throws Error(internal) when the database has no origin.
[[nodiscard]] std::string idempotency_key(store::Access access, JobId id, std::int64_t revision);

}  // namespace holdfast::queue
