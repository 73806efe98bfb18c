#pragma once

#include "holdfast/worker.hpp"

namespace holdfast::worker {

/// Throws Error(invalid) for options that cannot work, naming the rule.
void check_options(const WorkerOptions& options);

}  // namespace holdfast::worker
