#pragma once

#include <optional>

#include "holdfast/handlers.hpp"
#include "queue/lifecycle.hpp"

namespace holdfast::worker {

/// What a handler's outcome means to the life of its job; nothing for `deferred`.
[[nodiscard]] std::optional<queue::Happened> happened(Outcome outcome);

/// Calls a handler. The one place where what it throws is caught and becomes a failure.
[[nodiscard]] std::optional<queue::Happened> call(const Handler& handler, Run& run);

}  // namespace holdfast::worker
