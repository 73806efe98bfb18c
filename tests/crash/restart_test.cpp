#ifdef HOLDFAST_WITH_POSTGRES
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "crash/append_log.hpp"
#include "crash/application.hpp"
#include "crash/both_databases.hpp"
#include "crash/child.hpp"
#include "support/campaign.hpp"
#include "support/postgres_server.hpp"
#include "support/temporary_directory.hpp"

namespace holdfast::test {
namespace {

/// A PostgreSQL that ends and comes back under its workers.
class ServerRestart : public testing::Test {
 protected:
  ServerRestart() {
    open_store(database_).migrate();
    open_application(database_)->create_tables();
  }

  [[nodiscard]] AgentOptions worker(const std::string& name) const {
    return {.role = "work", .database = database_, .directory = directory_.path(), .name = name};
  }

  void enqueue(int jobs) {
    (void)open_store(database_).enqueue(
        std::vector<NewJob>(static_cast<std::size_t>(jobs), NewJob{"effect", "order", {}}));
    enqueued_ += jobs;
  }

  [[nodiscard]] std::int64_t count(const std::string& table) const {
    return open_application(database_)->number("select count(*) from " + table);
  }

  PostgresServer server_;
  TemporaryDirectory directory_;
  std::string database_ = "postgres:" + server_.conninfo();
  std::int64_t enqueued_ = 0;
};

TEST_F(ServerRestart, ends_no_worker_loses_no_job_and_doubles_no_effect) {
  Child one(worker("one"));
  Child two(worker("two"));
  for (int round = 0; round < rounds(3, 60); ++round) {
    const std::int64_t before = count("effects");
    enqueue(400);
    ASSERT_TRUE(eventually([&] { return count("effects") > before + 20; }));
    switch (round % 3) {
      case 0: server_.stop(PostgresServer::Stop::fast); break;
      case 1: server_.stop(PostgresServer::Stop::immediate); break;
      default: server_.crash();
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(100 * (round % 5)));
    server_.start();
  }
  EXPECT_TRUE(
      eventually([&] { return count("holdfast.history") == enqueued_; }, std::chrono::seconds(60)));
  for (Child* child : {&one, &two}) {
    child->signal(SIGTERM);
    EXPECT_EQ(child->wait(), 0) << child->name();
  }
  EXPECT_EQ(count("holdfast.history where state = 'succeeded'"), enqueued_);
  EXPECT_EQ(count("holdfast.jobs"), 0);
  EXPECT_EQ(count("effects"), enqueued_);
  EXPECT_EQ(open_application(database_)->number("select count(distinct job) from effects"),
            enqueued_);
}

}  // namespace
}  // namespace holdfast::test
#endif
