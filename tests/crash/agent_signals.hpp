#pragma once

#include "holdfast/stop_token.hpp"
#include "holdfast/worker.hpp"

namespace holdfast::test {

/// Blocks SIGTERM and SIGINT for this thread and those that it will start.
void block_stop_signals();

/// Runs the worker until a SIGTERM or SIGINT stops it; the second one hurries it. Both must be
/// blocked in every thread.
WorkerReport run_until_told(Worker& worker);

}  // namespace holdfast::test
