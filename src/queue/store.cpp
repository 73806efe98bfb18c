#include "holdfast/store.hpp"

#include <algorithm>

#include "holdfast/error.hpp"
#include "holdfast/version.hpp"
#include "queue/check.hpp"
#include "queue/enqueue.hpp"
#include "queue/find.hpp"
#include "queue/operate.hpp"
#include "queue/partitions.hpp"
#include "queue/store_state.hpp"
#include "store/migrate.hpp"

namespace holdfast {

namespace {

using detail::StoreState;

/// Runs an operator's action in a transaction; a missing day of history is made and it runs again.
void act(StoreState& state, const Operator& who,
         const std::function<void(const queue::Action&)>& work) {
  const auto once = [&] {
    state.with_transaction([&](db::Connection& connection) {
      work({{connection, state.sql()}, who, connection.now()});
    });
  };
  try {
    once();
  } catch (const Error& error) {
    if (!queue::is_missing_partition(error)) throw;
    state.with_connection([&](db::Connection& connection) {
      queue::ensure_history(connection, state.sql(), connection.now());
    });
    once();
  }
}

/// Reads in one go, without a transaction.
void read(StoreState& state, const std::function<void(store::Access, Time)>& work) {
  state.require_ready();
  state.with_connection([&](db::Connection& connection) {
    work({connection, state.sql()}, connection.now());
  });
}

/// They were committed together: one that is there tells for all.
bool are_there(StoreState& state, db::Connection& connection, std::span<const Enqueued> answers) {
  const store::Access access{connection, state.sql()};
  for (const Enqueued& answer : answers) {
    if (answer.what != Enqueued::What::created) continue;
    return queue::find(access, answer.id, connection.now()).has_value();
  }
  return false;
}

std::vector<Enqueued> enqueue_now(StoreState& state, std::span<const NewJob> jobs) {
  std::vector<Enqueued> answers;
  const auto work = [&](db::Connection& connection) {
    answers = queue::enqueue({connection, state.sql()}, jobs, connection.now());
  };
  const auto resolve = [&](db::Connection& connection) {
    return are_there(state, connection, answers);
  };
  jobs.size() == 1 ? state.with_statement(work, resolve) : state.with_transaction(work, resolve);
  state.wakers().wake();
  return answers;
}

/// Unique keys on PostgreSQL are waited for one by one: two groups could wait for each other.
bool shares_commit(const StoreState& state, std::span<const NewJob> jobs) {
  if (jobs.size() > queue::Company::jobs_max) return false;
  if (state.sql().dialect() == Dialect::sqlite) return true;
  return std::none_of(jobs.begin(), jobs.end(),
                      [](const NewJob& job) { return job.options.unique_key.has_value(); });
}

}  // namespace

void Store::migrate(const MigrateOptions& options) const {
  state_->with_connection([&](db::Connection& connection) {
    store::migrate(connection, state_->sql(), connection.now(), options);
  });
}

Store::Versions Store::versions() const {
  Versions versions;
  versions.program = schema_version;
  state_->with_connection([&](db::Connection& connection) {
    versions.database = store::found_version({connection, state_->sql()}).version;
  });
  return versions;
}

Enqueued Store::enqueue(const NewJob& job) const {
  return enqueue(std::span<const NewJob>(&job, 1)).front();
}

std::vector<Enqueued> Store::enqueue(std::span<const NewJob> jobs) const {
  if (jobs.empty()) return {};
  const auto write = [this](std::span<const NewJob> group) { return enqueue_now(*state_, group); };
  if (!shares_commit(*state_, jobs)) return write(jobs);
  state_->require_ready();  // not in a forked child, where a lock below may be held for ever
  for (const NewJob& job : jobs) queue::check(job);  // a refused one is nobody else's business
  state_->database().require_thread_may_write();
  return state_->company().enqueue(jobs, write);
}

std::optional<JobRow> Store::find(JobId id) const {
  std::optional<JobRow> job;
  read(*state_, [&](store::Access access, Time now) { job = queue::find(access, id, now); });
  return job;
}

std::vector<JobRow> Store::list(const JobFilter& filter) const {
  std::vector<JobRow> jobs;
  read(*state_, [&](store::Access access, Time now) { jobs = queue::list(access, filter, now); });
  return jobs;
}

std::vector<QueueStats> Store::stats() const {
  std::vector<QueueStats> rows;
  read(*state_, [&](store::Access access, Time now) { rows = queue::stats(access, now); });
  return rows;
}

std::string Store::idempotency_key(JobId id, std::int64_t revision) const {
  std::string key;
  read(*state_,
       [&](store::Access access, Time) { key = queue::idempotency_key(access, id, revision); });
  return key;
}

Cancelled Store::cancel(JobId id, const Operator& who) const {
  Cancelled answer = Cancelled::not_found;
  act(*state_, who, [&](const queue::Action& action) {
    answer = queue::cancel(action, queue::Policies::read(action.access), id);
  });
  state_->wakers().wake();  // a waiting job of a kind with hooks is made final by a worker
  return answer;
}

Replayed Store::replay(JobId id, const Operator& who) const {
  Replayed answer;
  act(*state_, who, [&](const queue::Action& action) { answer = queue::replay(action, id); });
  state_->wakers().wake();
  return answer;
}

bool Store::discard(JobId id, const Operator& who) const {
  bool answer = false;
  act(*state_, who, [&](const queue::Action& action) { answer = queue::discard(action, id); });
  return answer;
}

std::string Store::restored(const Operator& who) const {
  std::string origin;
  act(*state_, who, [&](const queue::Action& action) { origin = queue::restored(action); });
  return origin;
}

std::string_view to_string(Cancelled cancelled) {
  switch (cancelled) {
    case Cancelled::cancelled: return "cancelled";
    case Cancelled::requested: return "requested";
    case Cancelled::already_final: return "already_final";
    case Cancelled::quarantined: return "quarantined";
    case Cancelled::not_found: return "not_found";
  }
  return "unknown";
}

std::string_view to_string(Replayed::What what) {
  switch (what) {
    case Replayed::What::replayed: return "replayed";
    case Replayed::What::new_job: return "new_job";
    case Replayed::What::key_taken: return "key_taken";
    case Replayed::What::live: return "live";
    case Replayed::What::not_found: return "not_found";
  }
  return "unknown";
}

}  // namespace holdfast
