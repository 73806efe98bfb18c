#include "queue/find.hpp"

#include <algorithm>
#include <map>

#include "holdfast/error.hpp"
#include "store/rows.hpp"

namespace holdfast::queue {

using store::Access;
using store::Sql;

namespace {

/// What went wrong last, for a job whose own row does not tell.
void add_last_error(Access access, JobRow& job) {
  if (job.last_error || job.state == JobState::succeeded) return;
  access.run(Sql::last_attempt, {job.id}, [&](const Row& row) {
    job.last_error = store::optional_text(row, 0);
    job.last_failure = failure_class(row.text(1));
    if (!job.worker) job.worker = store::optional_text(row, 2);
  });
}

std::optional<JobRow> find_once(Access access, JobId id, Time now) {
  std::optional<JobRow> job;
  access.run(Sql::find_live, {id}, [&](const Row& row) { job = store::read_live(row, now); });
  if (job) return job;
  access.run(Sql::find_quarantined, {id},
             [&](const Row& row) { job = store::read_quarantined(row); });
  if (job) return job;
  access.run(Sql::find_finished, {id}, [&](const Row& row) { job = store::read_finished(row); });
  return job;
}

bool live(JobState state) {
  return state == JobState::scheduled || state == JobState::retrying || state == JobState::ready ||
         state == JobState::running;
}

void list_live(Access access, const JobFilter& filter, Time now, std::vector<JobRow>& jobs) {
  if (filter.state && !live(*filter.state)) return;
  const Value state = filter.state ? Value{to_string(*filter.state)} : Value{null};
  access.run(
      Sql::list_live,
      {std::int64_t{filter.payloads}, filter.before.value_or(INT64_MAX), state, store::micros(now),
       store::param(filter.queue), store::param(filter.kind), std::int64_t{filter.limit}},
      [&](const Row& row) { jobs.push_back(store::read_live(row, now)); });
}

void list_quarantined(Access access, const JobFilter& filter, std::vector<JobRow>& jobs) {
  if (filter.state && *filter.state != JobState::quarantined) return;
  access.run(Sql::list_quarantined,
             {std::int64_t{filter.payloads}, filter.before.value_or(INT64_MAX),
              store::param(filter.queue), store::param(filter.kind), std::int64_t{filter.limit}},
             [&](const Row& row) { jobs.push_back(store::read_quarantined(row)); });
}

void list_finished(Access access, const JobFilter& filter, std::vector<JobRow>& jobs) {
  if (filter.state && (live(*filter.state) || *filter.state == JobState::quarantined)) return;
  const Value state = filter.state ? Value{to_string(*filter.state)} : Value{null};
  access.run(Sql::list_history,
             {std::int64_t{filter.payloads}, filter.before.value_or(INT64_MAX), state,
              store::param(filter.queue), store::param(filter.kind), std::int64_t{filter.limit}},
             [&](const Row& row) { jobs.push_back(store::read_finished(row)); });
}

/// Rows by queue name, so that the three counts meet.
class StatsByQueue {
 public:
  QueueStats& operator[](std::string_view queue) {
    QueueStats& stats = rows_[std::string(queue)];
    stats.queue = queue;
    return stats;
  }
  [[nodiscard]] std::vector<QueueStats> in_order() const {
    std::vector<QueueStats> all;
    for (const auto& [name, stats] : rows_) all.push_back(stats);
    return all;
  }

 private:
  std::map<std::string, QueueStats> rows_;
};

}  // namespace

std::optional<JobRow> find(Access access, JobId id, Time now) {
  auto job = find_once(access, id, now);
  // A replay moves a job against the order in which the tables were read: look once more.
  if (!job) job = find_once(access, id, now);
  if (job) add_last_error(access, *job);
  return job;
}

std::optional<JobId> find_key_holder(Access access, const JobRow& job) {
  std::optional<JobId> holder;
  if (!job.unique_key) return holder;
  access.run(Sql::find_live_key, {job.queue, *job.unique_key},
             [&](const Row& row) { holder = row.integer(0); });
  return holder;
}

std::vector<JobRow> list(Access access, const JobFilter& filter, Time now) {
  if (filter.limit < 1 || filter.limit > 10'000) {
    throw Error(Code::invalid, "the limit of a list is 1 to 10000");
  }
  std::vector<JobRow> jobs;
  list_live(access, filter, now, jobs);
  list_quarantined(access, filter, jobs);
  list_finished(access, filter, jobs);
  std::stable_sort(jobs.begin(), jobs.end(),
                   [](const JobRow& a, const JobRow& b) { return a.id > b.id; });
  if (jobs.size() > static_cast<std::size_t>(filter.limit)) {
    jobs.resize(static_cast<std::size_t>(filter.limit));
  }
  for (JobRow& job : jobs) add_last_error(access, job);
  return jobs;
}

std::vector<QueueStats> stats(Access access, Time now) {
  StatsByQueue rows;
  access.run(Sql::count_live, {store::micros(now)}, [&](const Row& row) {
    QueueStats& stats = rows[row.text(0)];
    stats.scheduled = row.integer(1);
    stats.retrying = row.integer(2);
    stats.ready = row.integer(3);
    stats.running = row.integer(4);
    if (const auto oldest = store::optional_integer(row, 5)) {
      const Duration age = now - store::time_at(*oldest);
      stats.oldest_runnable_age_seconds = static_cast<double>(age.count()) / 1e6;
    }
  });
  access.run(Sql::count_quarantined, {},
             [&](const Row& row) { rows[row.text(0)].quarantined = row.integer(1); });
  access.run(Sql::count_history, {}, [&](const Row& row) {
    QueueStats& stats = rows[row.text(0)];
    const auto state = job_state(row.text(1));
    if (state == JobState::succeeded) stats.succeeded = row.integer(2);
    if (state == JobState::cancelled) stats.cancelled = row.integer(2);
    if (state == JobState::discarded) stats.discarded = row.integer(2);
  });
  return rows.in_order();
}

std::string idempotency_key(Access access, JobId id, std::int64_t revision) {
  std::string origin;
  access.run(Sql::find_origin, {id}, [&](const Row& row) { origin = row.text(0); });
  if (origin.empty()) throw Error(Code::internal, "the database has no origin for this job's key");
  return origin + ":" + std::to_string(id) + ":" + std::to_string(revision);
}

}  // namespace holdfast::queue
