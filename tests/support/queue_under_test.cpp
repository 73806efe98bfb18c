#include "support/queue_under_test.hpp"

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "db/postgres_database.hpp"
#include "db/sqlite_database.hpp"
#include "holdfast/clock.hpp"
#include "holdfast/error.hpp"
#include "queue/enqueue.hpp"
#include "queue/find.hpp"
#include "queue/sweep.hpp"
#include "store/rows.hpp"
#include "support/faulty_connection.hpp"
#include "support/postgres_server.hpp"

namespace holdfast::test {

namespace {

bool on_postgres(Backend backend) {
  return backend == Backend::postgres || backend == Backend::postgres_faulty;
}

bool faulty(Backend backend) {
  return backend == Backend::memory_faulty || backend == Backend::file_faulty ||
         backend == Backend::postgres_faulty;
}

std::string fresh_directory() {
  std::string path = std::filesystem::temp_directory_path() / "holdfast-test-XXXXXX";
  if (mkdtemp(path.data()) == nullptr) throw std::runtime_error("no temporary directory");
  return path;
}

/// A column whatever its type.
std::string text_of(const Row& row, int column) {
  if (row.is_null(column)) return "null";
  try {
    return std::string(row.text(column));
  } catch (const Error&) {
    return std::to_string(row.integer(column));
  }
}

/// Runs `work` in a transaction that must commit.
template <class Work>
auto committed(db::Connection& connection, Work work) {
  db::Transaction transaction(connection);
  auto answer = work();
  transaction.commit_or_throw();
  return answer;
}

}  // namespace

std::string name_of(Backend backend) {
  switch (backend) {
    case Backend::memory: return "memory";
    case Backend::file: return "file";
    case Backend::postgres: return "postgres";
    case Backend::memory_faulty: return "memory_faulty";
    case Backend::file_faulty: return "file_faulty";
    case Backend::postgres_faulty: return "postgres_faulty";
  }
  return "unknown";
}

QueueUnderTest::QueueUnderTest(Backend backend)
    : faults_(std::make_shared<FaultPlan>()), now_(system_clock().now() + std::chrono::hours(1)) {
  std::shared_ptr<db::Database> database;
  if (on_postgres(backend)) {
    postgres_ = std::make_unique<FreshPostgres>();
    database = db::open_postgres(postgres_->conninfo(), Durability::full, system_clock());
  } else if (backend == Backend::memory || backend == Backend::memory_faulty) {
    database = db::open_sqlite(":memory:", Durability::full, system_clock());
  } else {
    directory_ = fresh_directory();
    database = db::open_sqlite(directory_ + "/queue.db", Durability::full, system_clock());
  }
  if (faulty(backend)) database = std::make_shared<FaultyDatabase>(database, faults_);
  auto sql = store::StatementSet::load(database->dialect(), "holdfast");
  store_.emplace(
      std::make_shared<detail::StoreState>(std::move(database), std::move(sql), system_clock()));
  store_->migrate();
  connection_ = store_->state()->database().connect(db::Lane::normal);
}

QueueUnderTest::~QueueUnderTest() {
  connection_.reset();
  store_.reset();
  if (!directory_.empty()) std::filesystem::remove_all(directory_);
}

void QueueUnderTest::use(const Handlers& handlers) {
  handlers_ = handlers;
  hooks_ = queue::Hooks(handlers_);
  committed(*connection_, [&] {
    queue::write_kinds(access(), handlers_, "test", now_);
    return 0;
  });
  policies_ = queue::Policies::read(access());
}

Enqueued QueueUnderTest::enqueue(const std::string& kind, EnqueueOptions options,
                                 const std::string& payload) {
  const NewJob job{kind, payload, std::move(options)};
  return committed(*connection_, [&] { return queue::enqueue(access(), job, now_); });
}

std::vector<JobRow> QueueUnderTest::claim(const Claiming& claiming) {
  queue::Claimer claimer(claiming.queue, {claiming.worker, claiming.kinds}, connection_->dialect());
  const auto claims = committed(
      *connection_, [&] { return claimer.claim(access(), now_, claiming.lease, claiming.limit); });
  std::vector<JobRow> jobs;
  for (const auto& claim : claims) jobs.insert(jobs.end(), claim.jobs.begin(), claim.jobs.end());
  return jobs;
}

JobRow QueueUnderTest::claim_one(const std::string& worker) {
  auto jobs = claim({.worker = worker});
  if (jobs.size() != 1) throw std::runtime_error("nothing to claim");
  return jobs.front();
}

queue::Settlement QueueUnderTest::settle(const JobRow& job, queue::Happened happened,
                                         const std::string& worker) {
  const queue::Ending ending{queue::lease_of(job), job.kind, std::move(happened), now_};
  return committed(*connection_, [&] {
    const queue::Settling settling{access(), policies_, hooks_, worker, now_};
    return queue::settle(settling, std::span(&ending, 1)).front();
  });
}

queue::Settlement QueueUnderTest::settle(const JobRow& job, queue::Event event) {
  queue::Happened happened;
  happened.event = event;
  happened.reason = std::string(queue::to_string(event));
  return settle(job, happened);
}

bool QueueUnderTest::renew(const JobRow& job, const std::string& worker, Duration lease) {
  Batch batch({Column::integer, Column::integer, Column::text});
  batch.add({store::micros(now_ + lease), *job.claim_id, std::string_view(worker)});
  return committed(*connection_, [&] {
    return access().run_many(store::Sql::renew_claims, batch, [](const Row&) {}) == 1;
  });
}

int QueueUnderTest::sweep() {
  return queue::sweep(now_, *connection_, sql(), policies_, hooks_).jobs;
}

std::optional<JobRow> QueueUnderTest::find(JobId id) { return queue::find(access(), id, now_); }

JobState QueueUnderTest::state(JobId id) {
  const auto job = find(id);
  if (!job) throw std::runtime_error("no job " + std::to_string(id));
  return job->state;
}

std::string QueueUnderTest::address() const {
  return postgres_ ? postgres_->conninfo() : directory_ + "/queue.db";
}

std::string QueueUnderTest::table(const std::string& name) const {
  return store::with_namespace("{ns}" + name, sql().dialect(), sql().schema());
}

std::string QueueUnderTest::dump() {
  std::string text;
  for (const char* name : {"jobs", "claims", "quarantine", "history", "attempts", "receipts"}) {
    text += std::string(name) + "\n";
    const bool keyed = std::string(name) != "attempts";
    connection_->execute(
        "select * from " + table(name) + (keyed ? " order by id" : " order by job_id, fence"), {},
        [&](const Row& row) {
          for (int i = 0; i < row.columns(); ++i) {
            text += text_of(row, i) + '|';
          }
          text += '\n';
        });
  }
  return text;
}

std::int64_t QueueUnderTest::number(const std::string& query) {
  std::int64_t number = -1;
  connection_->execute(query, {}, [&](const Row& row) { number = row.integer(0); });
  return number;
}

}  // namespace holdfast::test
