#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <list>
#include <string>
#include <thread>

#include "crash/append_log.hpp"
#include "crash/both_databases.hpp"
#include "crash/child.hpp"
#include "crash/oracle.hpp"
#include "support/campaign.hpp"

namespace holdfast::test {
namespace {

using testing::IsEmpty;

/// Many processes that write to one SQLite file at the same time.
class Contention : public OnBothDatabases {
 protected:
  Child& start(const std::string& role, int number) {
    AgentOptions options = worker(role + std::to_string(number));
    options.role = role;
    options.seed = static_cast<std::uint64_t>(number);
    options.lease_ms = 2000;
    return children_.emplace_back(options);
  }

  std::list<Child> children_;
};
INSTANTIATE_TEST_SUITE_P(, Contention, testing::Values(Dialect::sqlite), name_of);

// Case 13.
TEST_P(Contention, shows_nobody_a_busy_error_and_costs_no_lease) {
  std::list<Child*> producers;
  std::list<Child*> workers;
  std::list<Child*> traders;
  for (int i = 0; i < 4; ++i) workers.push_back(&start("work", i));
  for (int i = 0; i < 4; ++i) producers.push_back(&start("produce", i));
  for (int i = 0; i < 2; ++i) traders.push_back(&start("trade", i));
  std::this_thread::sleep_for(std::chrono::seconds(rounds(5, 60)));

  AppendLog(log(over_file)).append("over");
  for (Child* trader : traders) EXPECT_EQ(trader->wait(), 0);
  for (Child* producer : producers) {
    EXPECT_FALSE(producer->ended().has_value());
    producer->kill();
  }
  EXPECT_TRUE(eventually([&] { return drained(application()); }, std::chrono::seconds(120)));
  for (Child* at_work : workers) {
    at_work->signal(SIGTERM);
    EXPECT_EQ(at_work->wait(), 0);
  }

  const Account account = take_account(application(), directory());
  const auto restarts = read_log(log(restart_log)).size();
  std::printf("%lld jobs, %lld acknowledged, %zu stale transactions begun again\n",
              static_cast<long long>(account.jobs), static_cast<long long>(account.acknowledged),
              restarts);
  EXPECT_THAT(account.violations, IsEmpty());
  EXPECT_THAT(storage_faults(application(), GetParam()), IsEmpty());
  EXPECT_THAT(read_log(log(trouble_log)), IsEmpty());
  EXPECT_EQ(account.lost_attempts, 0);
  EXPECT_GT(restarts, 0U);  // else nobody was in anybody's way
}

}  // namespace
}  // namespace holdfast::test
