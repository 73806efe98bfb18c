#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <random>
#include <thread>

#include "crash/both_databases.hpp"
#include "crash/child.hpp"
#include "support/campaign.hpp"

#ifdef HOLDFAST_WITH_POSTGRES
#include "support/postgres_server.hpp"
#endif

namespace holdfast::test {
namespace {

using std::chrono::microseconds;
using std::chrono::steady_clock;

/// One schema, complete, and usable without anybody's help.
void expect_one_schema(const std::string& database) {
  const Store store = open_store(database);
  store.migrate();
  EXPECT_EQ(store.versions().database, store.versions().program);
  const JobId id = store.enqueue(NewJob{"plain", "", {}}).id;
  EXPECT_TRUE(eventually([&] { return store.find(id).value().state == JobState::ready; }));
  const auto application = open_application(database);
  EXPECT_EQ(application->number("select count(*) from " + application->queue("migrations")),
            store.versions().program);
  EXPECT_EQ(application->number("select count(*) from " + application->queue("origins")), 1);
}

class InterruptedMigration : public OnBothDatabases {
 protected:
  /// An empty database; where it is.
  std::string fresh_database() {
    if (GetParam() == Dialect::postgres) {
      application().rows("set client_min_messages = warning");
      application().rows("drop schema if exists holdfast cascade");
      return database();
    }
    const std::string file = directory() + "/fresh.db";
    for (const char* part : {"", "-wal", "-shm"}) std::filesystem::remove(file + part);
    return "sqlite:" + file;
  }

  [[nodiscard]] static AgentOptions migrator(const std::string& database) {
    return {.role = "migrate", .database = database, .name = "migrator"};
  }

  std::mt19937_64 random_{std::random_device{}()};
};
INSTANTIATE_TEST_SUITE_P(, InterruptedMigration, testing::ValuesIn(databases()), name_of);

// Case 29 c, d.
TEST_P(InterruptedMigration, by_kill_at_any_moment_is_gone_on_with_by_the_next_one) {
  const std::string first = fresh_database();
  const auto began = steady_clock::now();
  EXPECT_EQ(Child(migrator(first)).wait(), 0);
  const auto length = std::chrono::duration_cast<microseconds>(steady_clock::now() - began);

  int interrupted = 0;
  std::uniform_int_distribution<std::int64_t> moment(0, length.count());
  for (int round = 0; round < rounds(30, 500); ++round) {
    const std::string database = fresh_database();
    Child child(migrator(database));
    std::this_thread::sleep_for(microseconds(moment(random_)));
    if (!child.ended()) ++interrupted;
    child.kill();
    expect_one_schema(database);
    if (HasFailure()) return;
  }
  EXPECT_GT(interrupted, 0);
}

#ifdef HOLDFAST_WITH_POSTGRES
// Case 29 e.
TEST(InterruptedMigrationOnPostgres, by_a_restart_of_the_server_goes_on_by_itself) {
  PostgresServer server;
  const std::string database = "postgres:" + server.conninfo();
  std::mt19937_64 random{std::random_device{}()};
  std::uniform_int_distribution<int> moment(0, 60);
  for (int round = 0; round < rounds(5, 100); ++round) {
    server.execute("set client_min_messages = warning; drop schema if exists holdfast cascade");
    AgentOptions options{.role = "migrate", .database = database, .name = "migrator"};
    Child migrator(options);
    // It waits for its turn until it has connected.
    const auto connected = [&] {
      return migrator.ended().has_value() ||
             open_application(database)->number(
                 "select count(*) from pg_stat_activity where backend_type = 'client backend'") > 1;
    };
    ASSERT_TRUE(eventually(connected));
    std::this_thread::sleep_for(std::chrono::milliseconds(moment(random)));
    server.stop(PostgresServer::Stop::immediate);
    server.start();
    EXPECT_EQ(migrator.wait(), 0) << "round " << round;
    expect_one_schema(database);
  }
}
#endif

}  // namespace
}  // namespace holdfast::test
