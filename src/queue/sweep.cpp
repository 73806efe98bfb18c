#include "queue/sweep.hpp"

#include <vector>

#include "holdfast/error.hpp"
#include "queue/settle.hpp"
#include "store/rows.hpp"

namespace holdfast::queue {

using store::Access;
using store::Sql;

namespace {

/// Nobody else can write to a SQLite file meanwhile. A claim of five hundred jobs would take long.
constexpr std::chrono::milliseconds transaction_max{4};

struct Expired {
  std::int64_t id = 0;
  std::string worker;
  std::int64_t claimed_at = 0;
  std::int64_t lease_until = 0;
  bool marked = false;
};

/// A page of them, by id.
std::vector<Expired> expired_claims(Access access, Time now, std::int64_t after) {
  std::vector<Expired> claims;
  access.run(Sql::expired_claims, {after, store::micros(now)}, [&](const Row& row) {
    claims.push_back({row.integer(0), std::string(row.text(1)), row.integer(2), row.integer(3),
                      !row.is_null(4)});
  });
  return claims;
}

std::vector<JobRow> lock_jobs(Access access, std::int64_t claim) {
  std::vector<JobRow> jobs;
  access.run(Sql::lock_claim_jobs, {claim},
             [&](const Row& row) { jobs.push_back(store::read_job(row)); });
  return jobs;
}

std::int64_t jobs_left(Access access, std::int64_t claim) {
  std::int64_t left = 0;
  access.run(Sql::claim_jobs_left, {claim}, [&](const Row& row) { left = row.integer(0); });
  return left;
}

/// One sweep of one claim.
class Recovery {
 public:
  Recovery(db::Connection& connection, const Settling& settling, const Expired& claim)
      : connection_(connection), settling_(settling), claim_(claim) {
    lost_.event = Event::lost;
    lost_.failure = FailureClass::lost;
    lost_.reason = "the lease of worker " + claim.worker + " ended without a word from it";
  }

  /// Marks the claim and ends its jobs together, in transactions of a few milliseconds; false when
  /// its holder renewed it.
  [[nodiscard]] bool together() {
    for (bool over = false; !over;) {
      db::Transaction transaction(connection_);
      if (!mark()) return false;
      over = end_some();
      if (over) leave();
      transaction.commit_or_throw();
      claim_.marked = true;
      ended_for_good_ = ended_;
    }
    return true;
  }

  /// The same with a transaction for each job, so that one that cannot be written is passed over
  /// and keeps no other from being recovered.
  [[nodiscard]] bool one_by_one() {
    std::vector<JobRow> jobs;
    {
      db::Transaction transaction(connection_);
      if (!mark()) return false;
      jobs = lock_jobs(settling_.access, claim_.id);
      transaction.commit_or_throw();
    }
    claim_.marked = true;
    ended_ = ended_for_good_;
    for (const JobRow& job : jobs) end_alone(job);
    db::Transaction transaction(connection_);
    leave();
    transaction.commit_or_throw();
    return true;
  }

  [[nodiscard]] int ended() const noexcept { return ended_; }
  [[nodiscard]] int left() const noexcept { return left_; }
  [[nodiscard]] const std::string& trouble() const noexcept { return trouble_; }

 private:
  [[nodiscard]] bool mark() {
    return claim_.marked ||
           settling_.access.run(Sql::mark_claim_lost,
                                {store::micros(settling_.now), claim_.id, claim_.lease_until}) == 1;
  }

  /// Goes on where the last transaction stopped. False when the time is up before the last job.
  [[nodiscard]] bool end_some() {
    const auto stop_at = std::chrono::steady_clock::now() + transaction_max;
    for (const JobRow& job : lock_jobs(settling_.access, claim_.id)) {
      if (job.id <= reached_) continue;
      if (std::chrono::steady_clock::now() >= stop_at) return false;
      end(job);
      reached_ = job.id;
    }
    return true;
  }

  void end(const JobRow& job) {
    const Time started_at = store::time_at(claim_.claimed_at);
    if (settle_locked(settling_, job, lost_, started_at) == Settlement::settled) ++ended_;
  }

  void end_alone(const JobRow& job) {
    try {
      db::Transaction transaction(connection_);
      const Ending ending{lease_of(job), job.kind, lost_, store::time_at(claim_.claimed_at)};
      const bool settled = settle_one(settling_, ending) == Settlement::settled;
      transaction.commit_or_throw();
      if (settled) ++ended_;
    } catch (const Error& error) {
      if (connection_.broken()) throw;
      trouble_ = "job " + std::to_string(job.id) + ": " + error.what();
    }
  }

  /// The claim goes with its last job.
  void leave() {
    left_ = static_cast<int>(jobs_left(settling_.access, claim_.id));
    if (left_ == 0) settling_.access.run(Sql::delete_claim, {claim_.id, claim_.worker});
  }

  db::Connection& connection_;
  const Settling& settling_;
  Expired claim_;
  Happened lost_;
  JobId reached_ = 0;  ///< of the jobs that together() has been through
  int ended_ = 0;
  int ended_for_good_ = 0;
  int left_ = 0;
  std::string trouble_;
};

/// Sweeps one claim, job by job if one of them cannot be written together with the others.
void recover(db::Connection& connection, const Settling& settling, const Expired& claim,
             Swept& swept) {
  Recovery recovery(connection, settling, claim);
  bool lost = false;
  try {
    lost = recovery.together();
  } catch (const Error&) {
    if (connection.broken()) throw;
    lost = recovery.one_by_one();
  }
  if (!lost) return;
  ++swept.claims;
  swept.jobs += recovery.ended();
  swept.held += recovery.left();
  if (!recovery.trouble().empty()) swept.trouble = recovery.trouble();
}

}  // namespace

int expired_workers(Access access, Time now) {
  int workers = 0;
  access.run(Sql::expired_workers, {store::micros(now)},
             [&](const Row& row) { workers = static_cast<int>(row.integer(0)); });
  return workers;
}

Swept sweep(Time now, db::Connection& connection, const store::StatementSet& sql,
            const Policies& policies, const Hooks& hooks) {
  const Access access{connection, sql};
  Swept swept;
  std::int64_t after = 0;
  for (auto page = expired_claims(access, now, after); !page.empty();
       page = expired_claims(access, now, after)) {
    for (const Expired& claim : page) {
      recover(connection, Settling{access, policies, hooks, claim.worker, now}, claim, swept);
    }
    after = page.back().id;
  }
  return swept;
}

}  // namespace holdfast::queue
