#pragma once

#include <span>
#include <string_view>
#include <unordered_set>

#include "queue/settle.hpp"

namespace holdfast::queue {

/// A lease that ends, and when its attempt began.
struct FinalEnd {
  Lease lease;
  Time started_at = {};
};

/// The state that jobs end in, and what is said of it.
struct FinalState {
  std::string_view state;        ///< of the history row
  std::string_view reason = {};  ///< empty: none
};

/// Ends leases and their jobs, into history and out of jobs, each guarded by its lease; waits for
/// no row. Returns the jobs that it ended: the others are not under their lease any more, were
/// re-armed, or are held by somebody.
[[nodiscard]] std::unordered_set<JobId> make_final(const Settling& settling,
                                                   const FinalState& state,
                                                   std::span<const FinalEnd> ends);

}  // namespace holdfast::queue
