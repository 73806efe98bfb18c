#pragma once

#include "options.hpp"

namespace checksums {

/// The enumerator's process: one transaction for each file, each acknowledged in a log of its own
/// after the commit has answered. Returns the exit code.
[[nodiscard]] int enumerate(const Options& options);

}  // namespace checksums
