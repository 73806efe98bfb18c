#pragma once

#include "options.hpp"

namespace checksums {

/// Starts the enumerator and the workers, kills one worker half way, waits until every job is
/// final and prints the account. Returns 0 only if nothing was lost or doubled and all is final.
[[nodiscard]] int supervise(Options options);

}  // namespace checksums
