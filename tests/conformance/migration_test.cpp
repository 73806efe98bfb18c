#include <atomic>
#include <latch>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "conformance/worker_test.hpp"
#include "holdfast/error.hpp"
#include "holdfast/postgres.hpp"
#include "holdfast/sqlite.hpp"
#include "store/migrate.hpp"
#include "support/campaign.hpp"

namespace holdfast::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class Migration : public QueueTest {};
INSTANTIATE_TEST_SUITE_P(Everywhere, Migration, ::testing::Values(Backend::file, Backend::postgres),
                         backend_name);

TEST_P(Migration, five_first_starts_at_once_make_one_schema) {
  const bool sqlite = q.connection().dialect() == Dialect::sqlite;
  for (int round = 0; round < rounds(6, 200); ++round) {
    // A namespace of its own is an empty database as far as a migration is concerned.
    const StoreOptions options{.schema = "fresh" + std::to_string(round)};
    std::atomic<int> failures = 0;
    {
      std::latch start(5);
      std::vector<std::jthread> running;
      for (int i = 0; i < 5; ++i) {
        running.emplace_back([&] {
          start.arrive_and_wait();
          try {
            const Store store =
                sqlite ? sqlite::open(q.address(), options) : postgres::open(q.address(), options);
            store.migrate();
            (void)store.enqueue(NewJob{"k", "{}", {}});
          } catch (const std::exception& error) {
            ADD_FAILURE() << error.what();
            ++failures;
          }
        });
      }
    }
    EXPECT_EQ(failures, 0);
    const Store store =
        sqlite ? sqlite::open(q.address(), options) : postgres::open(q.address(), options);
    EXPECT_EQ(store.versions().database, store.versions().program);
    EXPECT_EQ(store.list({}).size(), 5u);
  }
}

TEST_P(Migration, a_newer_schema_that_needs_newer_programs_is_refused_with_both_versions) {
  q.connection().execute("insert into " + q.table("migrations") +
                         " (version, name, applied_at, program, oldest_version)"
                         " values (7, 'later', 0, '9.0.0', 6)");
  const Store store = q.connection().dialect() == Dialect::sqlite ? sqlite::open(q.address())
                                                                  : postgres::open(q.address());
  try {
    (void)store.find(1);
    FAIL() << "it was used all the same";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::schema);
    EXPECT_NE(std::string(error.what()).find("schema 7"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("schema 1"), std::string::npos) << error.what();
  }
}

TEST_P(Migration, a_newer_schema_that_older_programs_can_use_is_used) {
  q.connection().execute("insert into " + q.table("migrations") +
                         " (version, name, applied_at, program, oldest_version)"
                         " values (2, 'later', 0, '9.0.0', 1)");
  const Store store = q.connection().dialect() == Dialect::sqlite ? sqlite::open(q.address())
                                                                  : postgres::open(q.address());
  EXPECT_EQ(store.enqueue(NewJob{"k", "{}", {}}).what, Enqueued::What::created);
}

/// Migrations while workers of the release before are at work.
class RollingMigration : public WorkerTest {
 protected:
  [[nodiscard]] std::unique_ptr<db::Connection> connect() {
    return q.store().state()->database().connect(db::Lane::normal);
  }

  /// What a later release would bring: a column more, which this one does not know.
  void migrate_to(int version) {
    std::vector<store::MigrationText> steps;
    for (const auto& step : store::migration_texts(q.connection().dialect())) {
      steps.push_back(step);
    }
    std::vector<std::string> texts;
    for (int later = static_cast<int>(steps.size()) + 1; later <= version; ++later) {
      texts.push_back("alter table {ns}jobs add column later_" + std::to_string(later) + " text;");
    }
    for (const std::string& text : texts) {
      const int later = static_cast<int>(steps.size()) + 1;
      steps.push_back({.version = later, .name = "later", .oldest_version = 1, .sql = text});
    }
    const auto connection = connect();
    store::migrate(*connection, q.sql(), connection->now(), steps);
  }
};
INSTANTIATE_TEST_SUITE_P(Everywhere, RollingMigration,
                         ::testing::Values(Backend::file, Backend::postgres), backend_name);

// Case 29 b.
TEST_P(RollingMigration, keeps_no_worker_waiting_even_behind_a_long_transaction) {
  std::mutex mutex;
  std::vector<Duration> waits;  // from due to start, of each job
  Handlers handlers;
  handlers.on("k", [&](Run& run) {
    const auto now = std::chrono::floor<Duration>(std::chrono::system_clock::now());
    const std::lock_guard lock(mutex);
    waits.push_back(now - run.job().run_at);
    return done();
  });
  WorkerOptions options = quick();
  options.queues = {{"default", {.threads = 2}}};
  RunningWorker worker(q.store(), handlers, options);
  std::atomic<std::int64_t> enqueued = 0;
  std::jthread producer([&](const stop_token& stop) {
    const Store own = q.connection().dialect() == Dialect::sqlite ? sqlite::open(q.address())
                                                                  : postgres::open(q.address());
    while (!stop.stop_requested()) {
      enqueued += static_cast<std::int64_t>(
          own.enqueue(std::vector<NewJob>(10, NewJob{.kind = "k"})).size());
      std::this_thread::sleep_for(milliseconds(20));
    }
  });

  const int last = rounds(4, 40);
  for (int version = 2; version <= last; ++version) {
    // The migration may have to wait for this one; nobody else may.
    const auto reader = connect();
    reader->execute("begin");
    reader->execute("select count(*) from " + q.table("jobs"), {}, [](const Row&) {});
    std::jthread migration([&] { migrate_to(version); });
    std::this_thread::sleep_for(milliseconds(700));
    reader->execute("rollback");
    migration.join();
  }
  producer.request_stop();
  producer.join();

  EXPECT_TRUE(eventually(
      [&] { return q.number("select count(*) from " + q.table("history")) == enqueued; }));
  EXPECT_EQ(worker.stop().failed, 0);
  EXPECT_EQ(q.store().versions().database, last);
  std::sort(waits.begin(), waits.end());
  ASSERT_GT(waits.size(), 100U);
  EXPECT_LT(waits.at(waits.size() * 99 / 100), seconds(1));
}

}  // namespace
}  // namespace holdfast::test
