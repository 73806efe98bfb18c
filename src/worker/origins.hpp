#pragma once

#include <optional>
#include <string>

#include "holdfast/job.hpp"
#include "store/statements.hpp"

namespace holdfast::worker {

/// Makes idempotency keys without asking the database for each job. An origin covers a range of
/// ids, so two ids with the same origin tell for all between them. Store thread only.
class Origins {
 public:
  /// Learns about the ids from `lowest` to `highest`: at most two look-ups, and none when the
  /// newest origin, which begins at `newest_from`, is the one that is known and covers them.
  void cover(store::Access access, JobId lowest, JobId highest, std::optional<JobId> newest_from);

  /// `<origin>:<id>:<revision>`. Throws Error.
  [[nodiscard]] std::string key(store::Access access, JobId id, std::int64_t revision) const;

  /// The database may be another one than before.
  void forget() {
    origin_.clear();
    newest_from_.reset();
  }

 private:
  void learn(store::Access access, JobId lowest, JobId highest);

  std::string origin_;  ///< of the ids lowest_ … highest_; empty: unknown
  JobId lowest_ = 0;
  JobId highest_ = 0;
  std::optional<JobId> newest_from_ = {};  ///< it is the newest, and begins there
};

}  // namespace holdfast::worker
