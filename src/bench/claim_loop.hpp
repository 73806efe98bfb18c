#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "holdfast/stop_token.hpp"
#include "holdfast/store.hpp"
#include "queue/claim.hpp"
#include "queue/settle.hpp"

namespace holdfast::bench {

/// Claims and settles on one connection and one thread, without a worker: a round settles what the
/// last one claimed and claims the next jobs in one transaction.
class ClaimLoop {
 public:
  explicit ClaimLoop(const Store& store);

  /// Rounds of `batch` until `jobs` are done (or fewer, see Patience). Jobs per second. Throws
  /// Interrupted, and Error when there are fewer jobs or a lease is lost.
  [[nodiscard]] double run(std::int64_t jobs, int batch, const stop_token& stop);

 private:
  [[nodiscard]] std::int64_t settle(store::Access access, Time now);
  [[nodiscard]] std::int64_t claim(store::Access access, Time now, int limit);

  Store store_;
  std::unique_ptr<db::Connection> connection_;
  queue::Policies policies_;
  queue::Hooks hooks_;
  queue::Claimer claimer_;
  std::vector<queue::Ending> endings_;
};

}  // namespace holdfast::bench
