#include <gtest/gtest.h>

#include <vector>

#include "conformance/queue_test.hpp"

namespace holdfast::test {
namespace {

class HotUpdates : public QueueTest {};
INSTANTIATE_TEST_SUITE_P(Everywhere, HotUpdates, ::testing::Values(Backend::postgres),
                         backend_name);

// A claim writes no indexed column: on PostgreSQL at least 95 of 100 updates must stay on their
// page and touch no index, also while new jobs come in between.
TEST_P(HotUpdates, are_nearly_all_updates_of_the_jobs_table) {
  const std::vector<NewJob> thousand(1000, NewJob{"k", std::string(100, 'p'), {}});
  for (int round = 0; round < 8; ++round) {
    (void)q.store().enqueue(thousand);
    for (const auto& job : q.claim({.limit = 800})) {
      EXPECT_EQ(q.settle(job, queue::Event::succeeded), queue::Settlement::settled);
    }
  }
  q.connection().execute("select pg_stat_force_next_flush()", {}, [](const Row&) {});
  const auto statistic = [&](const std::string& column) {
    return q.number("select " + column + " from pg_stat_user_tables where relname = 'jobs'");
  };
  EXPECT_GE(statistic("n_tup_upd"), 6400);
  EXPECT_GE(statistic("n_tup_hot_upd") * 100, statistic("n_tup_upd") * 95);
}

}  // namespace
}  // namespace holdfast::test
