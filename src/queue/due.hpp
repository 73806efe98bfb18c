#pragma once

#include <optional>
#include <span>
#include <string>

#include "holdfast/time.hpp"
#include "store/statements.hpp"

namespace holdfast::queue {

/// When the next look for work is worth while, as far as the table tells: at once (a time that is
/// past) when a job of these queues and kinds is ready, overdue ones included; else when the first
/// one of these queues is due. Nothing when none waits. Also at once when there are more groups
/// than one question goes through. A read that takes no lock: it tells, and does not take.
[[nodiscard]] std::optional<Time> next_due(store::Access access,
                                           std::span<const std::string> queues,
                                           std::span<const std::string> kinds, Time now);

/// Tells sleeping workers, once this transaction commits, of jobs that became ready by an update.
/// An insert tells by itself, and so does every commit on SQLite.
void wake_sleepers(store::Access access);

}  // namespace holdfast::queue
