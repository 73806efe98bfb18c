#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/clock.hpp"
#include "holdfast/codec.hpp"
#include "holdfast/job.hpp"
#include "holdfast/session.hpp"

namespace holdfast {

namespace detail {
class StoreState;
}

/// How much a commit must survive. `full`: power loss, the default. `relaxed` accepts connections
/// that may lose the last commits in a power loss, for data that can be made again.
enum class Durability { full, relaxed };

struct StoreOptions {
  std::string schema = "holdfast";  ///< table prefix on SQLite, schema on PostgreSQL: a-z 0-9 _
  Durability durability = Durability::full;
  const Clock* clock = nullptr;  ///< default: the machine's. Must outlive the store

  /// PostgreSQL behind a pooler that gives each transaction another connection (pgbouncer): libpq's
  /// address of the same database past it. Workers hear there of new jobs, on one connection more
  /// than they have else; without it they look for them. Nothing else is done there.
  std::string listen = {};
};

/// What Store::migrate leaves out.
struct MigrateOptions {
  /// PostgreSQL: the trigger that tells sleeping workers of every INSERT into `jobs`, the library's
  /// and plain ones. Without it workers look for new jobs now and then (WorkerOptions::poll). False
  /// also removes one that is there; true makes it with a new queue only, so that one that was left
  /// out stays out.
  bool wake_trigger = true;
};

/// Which jobs to list. Unset fields do not filter. Newest first; go on with `before` = last id.
struct JobFilter {
  std::optional<JobState> state = {};
  std::optional<std::string> queue = {};
  std::optional<std::string> kind = {};
  int limit = 50;  ///< 1 … 10,000
  std::optional<JobId> before = {};
  bool payloads = false;  ///< read payloads too; lists leave them out by default
};

/// What a request to cancel did.
enum class Cancelled {
  cancelled,      ///< it was waiting: final now
  requested,      ///< it is running, or its kind has hooks elsewhere: ends at the next chance
  already_final,  ///< nothing changed
  quarantined,    ///< it waits for a person: discard or replay it. Nothing changed
  not_found,
};
[[nodiscard]] std::string_view to_string(Cancelled cancelled);

/// What a replay did.
struct Replayed {
  enum class What {
    replayed,   ///< a quarantined job waits again under its own id, with a new budget
    new_job,    ///< a finished job was enqueued anew; `id` is the new one
    key_taken,  ///< a live job holds its unique key: nothing changed, `id` is that job
    live,       ///< the job is waiting or running: nothing changed
    not_found,
  };
  What what = What::not_found;
  JobId id = 0;
};
[[nodiscard]] std::string_view to_string(Replayed::What what);

/// Who does something to a job, and why. Both are required and end up in the receipt.
struct Operator {
  std::string actor = {};
  std::string reason = {};
};

/// Counts by state of one queue.
struct QueueStats {
  std::string queue = {};
  std::int64_t scheduled = 0;
  std::int64_t retrying = 0;
  std::int64_t ready = 0;
  std::int64_t running = 0;
  std::int64_t succeeded = 0;
  std::int64_t cancelled = 0;
  std::int64_t discarded = 0;
  std::int64_t quarantined = 0;
  double oldest_runnable_age_seconds = 0;  ///< of the ready job that is due longest
};

/// A queue in a database: opened by sqlite::open or postgres::open. Copies are cheap and share
/// one set of connections. All functions may be called from any thread; each runs in a
/// transaction of its own. Errors: see Error; an answer is never made up from a failure.
class Store {
 public:
  explicit Store(std::shared_ptr<detail::StoreState> state) : state_(std::move(state)) {}

  /// Makes the tables in an empty database, or brings older ones up to date. Safe to run twice
  /// and from several processes at once. Everything else refuses a database that is not ready.
  void migrate(const MigrateOptions& options = {}) const;

  /// Schema version in the database and the one this program writes; 0: no Holdfast tables.
  struct Versions {
    int database = 0;
    int program = 0;
  };
  [[nodiscard]] Versions versions() const;

  /// Threads that enqueue at the same moment share a commit. Throws Error; `in_doubt` when the
  /// connection ended before the answer (PostgreSQL): repeat it with a unique key, which makes one
  /// job of both, or look first.
  Enqueued enqueue(const NewJob& job) const;

  /// All in one transaction, answers in the order given.
  std::vector<Enqueued> enqueue(std::span<const NewJob> jobs) const;

  template <Job T>
  Enqueued enqueue(const T& job, EnqueueOptions options = {}) const {
    return enqueue(NewJob{std::string(Codec<T>::kind), Codec<T>::encode(job), std::move(options)});
  }

  /// The job, wherever it is now, with its payload; nothing when the id was never used or pruned.
  [[nodiscard]] std::optional<JobRow> find(JobId id) const;

  /// A page of jobs, newest first. Reads the tables one after the other: a job that moves meanwhile
  /// can be in two of them, or in none. Throws Error(invalid) for a limit out of range.
  [[nodiscard]] std::vector<JobRow> list(const JobFilter& filter) const;
  [[nodiscard]] std::vector<QueueStats> stats() const;

  /// `<origin>:<id>:<revision>` of a job (see Run::idempotency_key).
  [[nodiscard]] std::string idempotency_key(JobId id, std::int64_t revision) const;

  /// Actions of an operator, each with a receipt in the same transaction. Of two at the same moment
  /// one finds the job as the other left it. Throw Error(invalid) without an actor or a reason.
  Cancelled cancel(JobId id, const Operator& who) const;
  Replayed replay(JobId id, const Operator& who) const;

  /// Gives up on a quarantined job: final, with a receipt. False when it is not in quarantine.
  bool discard(JobId id, const Operator& who) const;

  /// To be called once after this database was restored from an older copy, or copied: later ids
  /// get a new origin, so that no idempotency key is ever used for two jobs. Returns the origin.
  std::string restored(const Operator& who) const;

  [[nodiscard]] const std::shared_ptr<detail::StoreState>& state() const noexcept { return state_; }

 private:
  std::shared_ptr<detail::StoreState> state_;
};

}  // namespace holdfast
