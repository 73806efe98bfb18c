#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <optional>
#include <thread>

#include "crash/append_log.hpp"
#include "crash/both_databases.hpp"
#include "crash/child.hpp"

namespace holdfast::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using testing::ElementsAre;
using testing::Not;

constexpr milliseconds lease{2000};

/// Two workers; the first runs a job that holds until the test says go, and is told to stop.
class Shutdown : public OnBothDatabases {
 protected:
  Shutdown() : store_(open_store(database())), first_(worker_with_grace("first")) {
    held_ = store_.enqueue(NewJob{"hold_then_effect", "held", {}}).id;
    EXPECT_TRUE(eventually([&] { return starts_by("first") == 1; }));
    second_.emplace(worker_with_grace("second"));
  }

  AgentOptions worker_with_grace(const std::string& name) const {
    AgentOptions options = worker(name);
    options.lease_ms = lease.count();
    options.stop_grace_ms = 200;
    return options;
  }

  void go() { AppendLog(log(go_file(1))).append("go"); }

  void enqueue_plain(int jobs) {
    for (int i = 0; i < jobs; ++i) store_.enqueue(NewJob{"plain", "", {}});
  }

  [[nodiscard]] std::int64_t starts_by(const std::string& name) const {
    const auto starts = read_log(log(start_log));
    return std::count_if(starts.begin(), starts.end(),
                         [&](const auto& start) { return start.at(3) == name; });
  }

  /// Rows of a table of the queue for which `condition` holds.
  std::int64_t count(const std::string& table, const std::string& condition) {
    return application().number("select count(*) from " + application().queue(table) + " where " +
                                condition);
  }

  std::int64_t succeeded() { return count("history", "state = 'succeeded'"); }

  std::string lease_of_held() {
    const auto rows =
        application().rows("select c.lease_until from " + application().queue("claims") +
                           " c join " + application().queue("jobs") +
                           " j on j.claim_id = c.id where j.id = " + std::to_string(held_));
    return rows.empty() ? "" : rows.front().front();
  }

  Child& first() { return first_; }
  Child& second() { return *second_; }

 private:
  Store store_;
  JobId held_ = 0;
  Child first_;
  std::optional<Child> second_;
};

INSTANTIATE_TEST_SUITE_P(, Shutdown, testing::ValuesIn(databases()), name_of);

TEST_P(Shutdown, lets_a_running_handler_finish_under_a_renewed_lease) {
  first().signal(SIGTERM);
  const std::string lease_at_stop = lease_of_held();
  const auto told = steady_clock::now();
  // Work that comes after the signal is the other worker's, all through two leases.
  while (steady_clock::now() - told < 2 * lease) {
    enqueue_plain(2);
    std::this_thread::sleep_for(milliseconds(100));
  }
  EXPECT_THAT(lease_of_held(), Not(lease_at_stop)) << "the lease was not renewed";
  EXPECT_EQ(starts_by("first"), 1) << "the stopping worker went on claiming";
  go();
  EXPECT_EQ(first().wait(), 0);

  EXPECT_THAT(read_log(log(answer_log)), ElementsAre(ElementsAre("first", "1", "settled")));
  EXPECT_EQ(count("history", "id = 1 and fence = 1 and state = 'succeeded'"), 1);
  EXPECT_EQ(count("attempts", "job_id = 1"), 0);
  EXPECT_GT(starts_by("second"), 10);
}

TEST_P(Shutdown, second_signal_hands_the_job_back_without_blame) {
  first().signal(SIGTERM);
  std::this_thread::sleep_for(milliseconds(300));
  first().signal(SIGTERM);
  const auto told = steady_clock::now();
  EXPECT_EQ(first().wait(), 0);
  ASSERT_TRUE(eventually([&] { return succeeded() == 1; }));

  EXPECT_LT(steady_clock::now() - told, lease) << "taken over by expiry instead of handed back";
  EXPECT_EQ(count("attempts", "job_id = 1 and outcome = 'released'"), 1);
  EXPECT_EQ(count("attempts", "true"), 1);
  EXPECT_EQ(count("history", "id = 1 and attempt = 1 and fence = 2"), 1);
}

TEST_P(Shutdown, kill_during_the_drain_is_taken_over_within_the_lease_and_a_tick) {
  constexpr milliseconds tick{200};
  constexpr milliseconds slack{1000};
  first().signal(SIGTERM);
  std::this_thread::sleep_for(milliseconds(300));
  first().kill();
  const auto killed = steady_clock::now();
  ASSERT_TRUE(eventually([&] { return succeeded() == 1; }));

  EXPECT_LT(steady_clock::now() - killed, lease + tick + slack);
  EXPECT_EQ(count("attempts", "job_id = 1 and outcome = 'lost'"), 1);
  EXPECT_EQ(count("attempts", "true"), 1);
  EXPECT_EQ(count("history", "id = 1 and attempt = 2 and fence = 2"), 1);
  EXPECT_EQ(application().number("select count(*) from effects"), 1);
}

}  // namespace
}  // namespace holdfast::test
