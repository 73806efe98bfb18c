#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "crash/append_log.hpp"
#include "crash/both_databases.hpp"
#include "crash/child.hpp"
#include "crash/oracle.hpp"
#include "support/campaign.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using testing::Each;
using testing::Ge;
using testing::IsEmpty;
using testing::SizeIs;

const std::string clients = HOLDFAST_SOURCE_DIR "/tests/clients/";

/// Workers, and applications that write to the same database.
class Neighbour : public OnBothDatabases {
 protected:
  /// Starts them and waits until all are there, so that each has the same chance.
  void start_workers(int count, AgentOptions options) {
    for (int number = 0; number < count; ++number) {
      options.name = "worker" + std::to_string(number);
      workers_.emplace_back(options);
    }
    ASSERT_TRUE(eventually([&] { return rows_of("workers") == count; }, 60s));
  }

  void enqueue(const std::string& kind, int jobs) {
    const std::vector<NewJob> all(static_cast<std::size_t>(jobs), NewJob{kind, "", {}});
    static_cast<void>(store_->enqueue(all));
  }

  /// Python and Node enqueue so many each, with their drivers' defaults. Ends when both have; a
  /// single error of theirs fails the test.
  void enqueue_from_applications(int jobs) {
    const std::string arguments = " '" + directory() + "/queue.db' " + std::to_string(jobs);
    std::jthread node([&] {
      EXPECT_EQ(std::system(("PATH=" + clients + "runtime/bin:$PATH node " + clients +
                             "neighbour.mjs" + arguments)
                                .c_str()),
                0);
    });
    EXPECT_EQ(std::system(("python3 " + clients + "neighbour.py" + arguments).c_str()), 0);
  }

  void wait_and_stop() {
    EXPECT_TRUE(eventually([&] { return drained(application()); }, 120s));
    for (Child& worker : workers_) {
      worker.signal(SIGTERM);
      EXPECT_EQ(worker.wait(), 0);
    }
  }

  /// Every job ran once and nobody complained.
  void expect_each_once(int jobs) {
    std::set<std::string> started;
    const auto starts = read_log(log(start_log));
    for (const auto& start : starts) started.insert(start.at(0));
    EXPECT_THAT(started, SizeIs(jobs));
    EXPECT_THAT(starts, SizeIs(jobs));
    EXPECT_EQ(rows_of("history"), jobs);
    EXPECT_THAT(read_log(log(trouble_log)), IsEmpty());
    EXPECT_EQ(rows_of("attempts"), 0);  // each of which did not succeed
    store_.reset();                     // its connection would count as one that was left
    EXPECT_THAT(storage_faults(application(), GetParam()), IsEmpty());
  }

  [[nodiscard]] std::vector<int> shares() const {
    std::map<std::string, int> jobs;
    for (const Child& worker : workers_) jobs[worker.name()] = 0;
    for (const auto& start : read_log(log(start_log))) ++jobs[start.at(3)];
    std::vector<int> shares;
    for (const auto& [worker, share] : jobs) shares.push_back(share);
    return shares;
  }

  [[nodiscard]] std::int64_t rows_of(const std::string& table) {
    return application().number("select count(*) from " + application().queue(table));
  }

  std::optional<Store> store_ = open_store(database());
  std::list<Child> workers_;
};
INSTANTIATE_TEST_SUITE_P(, Neighbour, testing::ValuesIn(databases()), name_of);

TEST_P(Neighbour, eight_workers_make_progress_alike_and_run_each_job_once) {
  const int backlog = rounds(16'000, 200'000);
  AgentOptions options = worker("");
  options.lease_ms = 5000;
  start_workers(8, options);
  enqueue("plain", backlog);
  wait_and_stop();

  expect_each_once(backlog);
  EXPECT_THAT(shares(), Each(Ge(backlog / 8 / 20)));
}

/// What only happens in a file that everybody writes to.
class NeighbourInFile : public Neighbour {};
INSTANTIATE_TEST_SUITE_P(, NeighbourInFile, testing::Values(Dialect::sqlite), name_of);

TEST_P(NeighbourInFile, applications_meet_no_error_beside_a_worker_that_drains) {
  const int backlog = rounds(10'000, 500'000);
  const int each = rounds(300, 10'000);
  start_workers(1, worker(""));
  enqueue("plain", backlog);
  enqueue_from_applications(each);
  wait_and_stop();

  expect_each_once(backlog + 2 * each);
}

TEST_P(NeighbourInFile, applications_meet_no_error_beside_eight_workers_that_drain) {
  const int backlog = rounds(10'000, 500'000);
  const int each = rounds(100, 5'000);
  AgentOptions options = worker("");
  options.lease_ms = 5000;
  start_workers(8, options);
  enqueue("plain", backlog);
  enqueue_from_applications(each);
  wait_and_stop();

  expect_each_once(backlog + 2 * each);
  EXPECT_THAT(shares(), Each(Ge(backlog / 8 / 20)));
}

TEST_P(NeighbourInFile, a_disk_with_slow_syncs_costs_no_lease_and_makes_no_tiny_rounds) {
  constexpr int plain = 1000;
  constexpr int effects = 10;
  AgentOptions options = worker("");
  options.lease_ms = 2000;
  options.sync_ms = 150;
  start_workers(2, options);
  enqueue("hold_then_done", 1);
  enqueue("plain", plain);
  enqueue("effect", effects);
  ASSERT_TRUE(eventually([&] { return rows_of("history") == plain + effects; }, 120s));
  // What held all the time has been renewed all the time, and is now.
  std::set<std::int64_t> leases;
  EXPECT_TRUE(eventually([&] {
    leases.insert(application().number("select coalesce(max(lease_until), 0) from " +
                                       application().queue("claims")));
    return leases.size() >= 4;
  }));
  AppendLog(log(go_file(1))).append("go");
  wait_and_stop();

  expect_each_once(plain + effects + 1);
  const auto rounds_written = application().number("select count(distinct finished_at) from " +
                                                   application().queue("history"));
  EXPECT_LT(rounds_written, plain / 8);
}

}  // namespace
}  // namespace holdfast::test
