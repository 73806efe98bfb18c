#include "queue/enqueue.hpp"

#include <optional>

#include "holdfast/error.hpp"
#include "queue/check.hpp"
#include "queue/due.hpp"
#include "queue/lifecycle.hpp"
#include "store/rows.hpp"

namespace holdfast::queue {

using store::Access;
using store::Sql;

namespace {

/// A unique key can change hands between two statements only so often before something is wrong.
constexpr int rounds_max = 20;

/// When a job is enqueued, as a parameter: on PostgreSQL the table says it, whose clock counts; on
/// SQLite it is our own clock anyway, and formatting a time in SQL costs as much as the insert.
Value moment(Dialect dialect, Time now) {
  return dialect == Dialect::sqlite ? Value{store::micros(now)} : Value{null};
}

/// A job as parameters. Borrows the texts of the job it was made from.
struct Fields {
  Fields(const NewJob& job, Time now, Dialect dialect)
      : queue(job.options.queue),
        kind(job.kind),
        payload(job.payload),
        priority(std::int64_t{job.options.priority}),
        group(job.options.group),
        unique_key(store::param(job.options.unique_key)),
        headers(store::param(job.options.headers)),
        message_id(store::param(job.options.message_id)),
        trace(store::param(job.options.trace)),
        enqueued_at(moment(dialect, now)) {
    run_at = enqueued_at;
    const EnqueueOptions& options = job.options;
    if (options.run_at) run_at = store::micros(*options.run_at);
    if (options.delay) run_at = store::micros(due(now, *options.delay));
    if (options.max_attempts) max_attempts = std::int64_t{*options.max_attempts};
    if (options.timeout) {
      timeout_ms = std::int64_t{
          std::chrono::duration_cast<std::chrono::milliseconds>(*options.timeout).count()};
    }
  }

  Value queue, kind, payload, priority;
  Value run_at = null;
  Value max_attempts = null;
  Value timeout_ms = null;
  Value group, unique_key, headers, message_id, trace;
  Value enqueued_at;
};

std::optional<JobId> insert(Access access, const Fields& job) {
  std::optional<JobId> id;
  access.run(
      Sql::insert_job,
      {job.queue, job.kind, job.payload, job.priority, job.run_at, job.max_attempts, job.timeout_ms,
       job.group, job.unique_key, job.headers, job.message_id, job.trace, job.enqueued_at, null},
      [&](const Row& row) { id = row.integer(0); });
  return id;
}

/// The live job that holds a key, as it was read.
struct Holder {
  JobId id = 0;
  std::int64_t fence = 0;
  std::optional<std::int64_t> claim_id = {};
  std::string kind = {};
};

std::optional<Holder> find_holder(Access access, const Fields& job) {
  std::optional<Holder> holder;
  access.run(Sql::find_live_key, {job.queue, job.unique_key}, [&](const Row& row) {
    holder = Holder{row.integer(0), row.integer(1), store::optional_integer(row, 2),
                    std::string(row.text(3))};
  });
  return holder;
}

/// A running job keeps all but its payload, and its kind above all: the handler is its kind's.
void require_same_kind(const Holder& holder, const NewJob& job) {
  if (holder.kind == job.kind) return;
  throw Error(Code::invalid, "job " + std::to_string(holder.id) + " of kind \"" + holder.kind +
                                 "\" is running under this unique key, and a job of kind \"" +
                                 job.kind + "\" cannot replace it: use another key");
}

/// Gives the holder the newer intent. False: it was claimed, settled or finished meanwhile.
bool replace(Access access, const Holder& holder, const NewJob& newer, const Fields& job,
             Time now) {
  if (holder.claim_id) {
    require_same_kind(holder, newer);
    return access.run(Sql::rearm_running,
                      {job.payload, holder.id, holder.fence, *holder.claim_id}) == 1;
  }
  const bool at_once = std::holds_alternative<std::monostate>(job.run_at);
  const Value run_at = at_once ? Value{store::micros(now)} : job.run_at;
  return access.run(Sql::replace_waiting,
                    {job.kind, job.payload, job.priority, run_at, job.max_attempts, job.timeout_ms,
                     job.group, job.headers, job.message_id, job.trace, holder.id, holder.fence}) ==
         1;
}

/// A job with a unique key.
Enqueued enqueue_keyed(Access access, const NewJob& job, Time now) {
  const Fields fields(job, now, access.sql.dialect());
  for (int round = 0; round < rounds_max; ++round) {
    if (const auto id = insert(access, fields)) return {*id, Enqueued::What::created};
    const auto holder = find_holder(access, fields);
    if (!holder) continue;  // it finished between the two statements: the key is free now
    switch (job.options.on_conflict) {
      case OnConflict::keep: return {holder->id, Enqueued::What::kept};
      case OnConflict::reject: return {holder->id, Enqueued::What::rejected};
      case OnConflict::replace:
        if (!replace(access, *holder, job, fields, now)) continue;
        wake_sleepers(access);
        return {holder->id, Enqueued::What::replaced};
    }
  }
  throw Error(Code::busy, "the unique key changed hands again and again: enqueue it once more");
}

Batch batch_of(std::span<const NewJob> jobs, Time now, Dialect dialect) {
  Batch batch({Column::text, Column::text, Column::text, Column::integer, Column::integer,
               Column::integer, Column::integer, Column::text, Column::text, Column::text,
               Column::text, Column::integer});
  batch.reserve(jobs.size());
  for (const NewJob& job : jobs) {
    const Fields f(job, now, dialect);
    batch.add({f.queue, f.kind, f.payload, f.priority, f.run_at, f.max_attempts, f.timeout_ms,
               f.group, f.headers, f.message_id, f.trace, f.enqueued_at});
  }
  return batch;
}

JobId last_job_id(Access access) {
  JobId id = 0;
  access.run(Sql::last_job_id, {}, [&](const Row& row) { id = row.integer(0); });
  return id;
}

bool has_triggers(Access access) {
  bool has = false;
  access.run(Sql::job_triggers, {}, [&](const Row& row) { has = row.integer(0) != 0; });
  return has;
}

/// SQLite gives one insert ids that follow one another, unless a trigger inserts jobs as well: then
/// they go one by one.
void insert_sqlite(Access access, const Batch& batch, std::vector<Enqueued>& answers) {
  const auto answer = [&](JobId id) { answers.push_back({id, Enqueued::What::created}); };
  if (batch.size() > 1 && !has_triggers(access)) {
    const auto rows = access.run_many(Sql::insert_jobs, batch);
    const JobId last = last_job_id(access);
    for (JobId id = last - rows + 1; id <= last; ++id) answer(id);
    return;
  }
  for (std::size_t i = 0; i < batch.size(); ++i) {
    access.run(Sql::insert_jobs, batch.row(i));
    answer(last_job_id(access));
  }
}

void insert_postgres(Access access, const Batch& batch, std::vector<Enqueued>& answers) {
  const auto answer = [&](const Row& row) {
    answers.push_back({row.integer(0), Enqueued::What::created});
  };
  if (batch.size() == 1) {
    access.run(Sql::insert_one, batch.row(0), answer);
  } else {
    access.run_many(Sql::insert_jobs, batch, answer);
  }
}

/// A run of neighbours without keys.
void enqueue_plain(Access access, std::span<const NewJob> jobs, Time now,
                   std::vector<Enqueued>& answers) {
  const std::size_t expected = answers.size() + jobs.size();
  const Dialect dialect = access.sql.dialect();
  const Batch batch = batch_of(jobs, now, dialect);
  dialect == Dialect::sqlite ? insert_sqlite(access, batch, answers)
                             : insert_postgres(access, batch, answers);
  if (answers.size() != expected) {
    throw Error(Code::internal, "the database answered another number of ids than jobs");
  }
}

}  // namespace

Enqueued enqueue(Access access, const NewJob& job, Time now) {
  return enqueue(access, std::span<const NewJob>(&job, 1), now).front();
}

std::vector<Enqueued> enqueue(Access access, std::span<const NewJob> jobs, Time now) {
  for (const NewJob& job : jobs) check(job);
  std::vector<Enqueued> answers;
  answers.reserve(jobs.size());
  for (std::size_t first = 0; first < jobs.size();) {
    std::size_t last = first;
    while (last < jobs.size() && !jobs[last].options.unique_key) ++last;
    if (last > first) enqueue_plain(access, jobs.subspan(first, last - first), now, answers);
    if (last < jobs.size()) answers.push_back(enqueue_keyed(access, jobs[last++], now));
    first = last;
  }
  return answers;
}

}  // namespace holdfast::queue
