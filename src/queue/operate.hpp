#pragma once

#include <optional>
#include <string>

#include "holdfast/store.hpp"
#include "queue/hooks.hpp"
#include "queue/policy.hpp"
#include "store/statements.hpp"

/// What people do to jobs. Each runs inside a transaction that the caller began and writes its
/// receipt there: the action and its record are committed together or not at all.
namespace holdfast::queue {

/// Who acts, and when (database time).
struct Action {
  store::Access access;
  const Operator& who;
  Time now;
};

/// A waiting job becomes final. A running one is asked to end (its worker is told at its next
/// renewal), and so is a waiting one whose kind has hooks: only a program with them finishes it.
[[nodiscard]] Cancelled cancel(const Action& action, const Policies& policies, JobId id);

/// A quarantined job waits again under its own id with a new budget; a finished one is enqueued
/// anew with `replay_of`. Refused while a live job holds its unique key.
[[nodiscard]] Replayed replay(const Action& action, JobId id);

/// A quarantined job becomes final as discarded.
[[nodiscard]] bool discard(const Action& action, JobId id);

/// Later ids get a new origin. Returns it.
[[nodiscard]] std::string restored(const Action& action);

}  // namespace holdfast::queue
