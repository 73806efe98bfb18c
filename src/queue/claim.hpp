#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "db/connection.hpp"
#include "holdfast/job.hpp"
#include "queue/cursor.hpp"
#include "store/statements.hpp"

namespace holdfast::queue {

/// Who claims, and what it can run.
struct Claimant {
  std::string worker;              ///< the incarnation
  std::vector<std::string> kinds;  ///< never claimed: other kinds
};

/// The jobs of one claim row: one lease for all of them.
struct Claim {
  std::int64_t id = 0;
  Time lease_until = {};
  std::vector<JobRow> jobs = {};
  std::optional<JobId> origin_from = {};  ///< the first id of the newest origin, where it is known
};

/// Claims jobs of one queue, in order: priority, then due time, then id; grouped jobs take turns by
/// group. Keeps the cursor and the rotation between calls. One thread.
class Claimer {
 public:
  Claimer(std::string queue, Claimant claimant, Dialect dialect);

  /// Takes up to `limit` ready jobs inside the transaction that the caller began; what it returns
  /// is claimed when that commits. No row is waited for: one that somebody holds is passed over.
  [[nodiscard]] std::vector<Claim> claim(store::Access access, Time now, Duration lease, int limit);

  [[nodiscard]] const std::string& queue() const noexcept { return queue_; }

  /// Jobs may have been put behind the cursor.
  void reset() { cursor_.reset(); }

 private:
  struct Scan {
    std::string_view group;
    std::array<Time, priorities> start{};
    int limit = 0;
  };
  /// What a claim still has for the groups.
  struct Rotation {
    int room = 0;   ///< jobs
    int share = 0;  ///< the most that one group gets in one turn
    int hops = 0;   ///< groups that may still be looked at
  };
  [[nodiscard]] Claim take(store::Access access, Time now, Duration lease, const Scan& scan);
  [[nodiscard]] Claim take_sqlite(store::Access access, Time now, Duration lease, const Scan& scan);
  [[nodiscard]] Claim take_postgres(store::Access access, Time now, Duration lease,
                                    const Scan& scan);
  void claim_plain(store::Access access, Time now, Duration lease, int limit,
                   std::vector<Claim>& claims);
  void claim_grouped(store::Access access, Time now, Duration lease, int limit,
                     std::vector<Claim>& claims);
  void rotate(store::Access access, Time now, Duration lease, Rotation& rotation,
              std::vector<Claim>& claims);
  [[nodiscard]] std::optional<std::string> next_group(store::Access access,
                                                      std::string_view after) const;

  std::string queue_;
  Claimant claimant_;
  std::string kinds_;  ///< as a parameter
  Cursor cursor_;
  std::string last_group_;  ///< where the rotation stopped
  bool groups_first_ = false;
  bool grouped_ = true;      ///< groups had work when they were looked for last
  Time groups_probed_at_{};  ///< when that was
};

}  // namespace holdfast::queue
