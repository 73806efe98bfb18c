#pragma once

#include <cstdint>

#include "holdfast/stop_token.hpp"
#include "holdfast/store.hpp"

namespace holdfast::bench {

/// Settles what the last round claimed and claims the next `batch` in one transaction, on one
/// thread and without a worker, until `jobs` are done (or fewer, see Patience). Jobs per second.
/// Throws Interrupted, and Error when there are fewer jobs or a lease is lost.
[[nodiscard]] double claim_and_settle(const Store& store, std::int64_t jobs, int batch,
                                      const stop_token& stop);

}  // namespace holdfast::bench
