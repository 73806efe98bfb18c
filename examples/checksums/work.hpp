#pragma once

#include "options.hpp"

namespace checksums {

/// A worker's process: hashes files until SIGTERM or SIGINT. Returns the exit code.
[[nodiscard]] int work(const Options& options);

}  // namespace checksums
