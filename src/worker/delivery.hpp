#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "queue/settle.hpp"
#include "worker/crew.hpp"
#include "worker/intake.hpp"
#include "worker/open_claims.hpp"
#include "worker/origins.hpp"

namespace holdfast::worker {

struct Context;

/// A claimed job, and what the rules say before it may start.
struct Pick {
  enum class Verdict {
    start,
    start_alone,  ///< its last two attempts were lost: it may be what kills its process
    ends,         ///< cancelled, or its budget is used up: it is final instead of startable
    unreadable,   ///< not UTF-8
  };
  JobRow job;
  std::string idempotency_key = {};
  std::optional<Duration> limit = {};
  Verdict verdict = Verdict::start;
};

/// The picks of one claim.
struct Parcel {
  std::int64_t claim = 0;
  Duration lease = {};
  Time claimed_at = {};
  Steady began = {};  ///< in the claim's transaction, before its time was read
  Crew* crew = nullptr;
  std::vector<Pick> picks = {};
};

/// Brings claimed jobs to the crews. Store thread only.
class Delivery {
 public:
  Delivery(std::shared_ptr<Context> context, OpenClaims& claims, Crew& suspects)
      : context_(std::move(context)), claims_(claims), suspects_(suspects) {}

  /// Inside the claim's transaction: what the database knows about the jobs.
  [[nodiscard]] Parcel examine(const queue::Settling& settling, Catch taken, Steady began,
                               Crew& crew);

  /// After its commit: each job starts, or ends at once.
  void deliver(Parcel parcel);

  /// After a commit in doubt: drops the picks that are not under this claim in the database.
  void keep_ours(db::Connection& connection, Parcel& parcel) const;

  /// True while a suspect waits or runs: nothing is claimed meanwhile.
  [[nodiscard]] bool reserved() const;

  /// True while a suspect waits until nothing else is claimed. What is buffered must be handed back
  /// then: if the suspect kills the process, it takes with it what was claimed, started or not.
  [[nodiscard]] bool suspect_waits() const { return suspect_ != nullptr; }

  /// True after a suspect was met, until a claim brings none: they tend to come together, and what
  /// is claimed beside one is only handed back. One job at a time meanwhile.
  [[nodiscard]] bool cautious() const noexcept { return cautious_; }

  /// Starts the waiting suspect once every other claimed job is answered, or after `bound`.
  void let_suspect_in(Steady now, Duration bound);

  /// The worker stops: the waiting suspect goes back.
  void hand_suspect_back();

  void forget_origins() { origins_.forget(); }

 private:
  [[nodiscard]] Pick examine_job(const queue::Settling& settling, JobRow job);
  void route(Crew& crew, const std::vector<AttemptPtr>& attempts);
  void keep_one(std::vector<AttemptPtr>& suspects);

  const std::shared_ptr<Context> context_;
  OpenClaims& claims_;
  Crew& suspects_;
  Origins origins_;
  AttemptPtr suspect_;  ///< waits for its turn; null: none does
  Steady suspect_since_{};
  bool cautious_ = false;
};

}  // namespace holdfast::worker
