#pragma once

#include <optional>

#include "holdfast/time.hpp"
#include "worker/floor.hpp"

namespace holdfast::worker {

struct Context;

/// Runs one attempt on the calling thread: waits for its turn, calls the handler, hands its answer
/// in. Nothing is held while the handler runs. Returns how long that took, or nothing when it was
/// not started.
[[nodiscard]] std::optional<Duration> run_attempt(Context& context, const AttemptPtr& attempt);

}  // namespace holdfast::worker
