// A floor is worth a comparison only if it does the same work.

#include <gtest/gtest.h>

#include "bench/claim_loop.hpp"
#include "bench/ground.hpp"
#include "bench/questions.hpp"
#include "bench/served.hpp"
#include "support/temporary_directory.hpp"

#ifdef HOLDFAST_WITH_POSTGRES
#include "support/postgres_server.hpp"
#endif

namespace holdfast::bench {
namespace {

constexpr std::int64_t jobs = 250;

class BenchFloor : public testing::TestWithParam<Dialect> {
 protected:
  BenchFloor() {
#ifdef HOLDFAST_WITH_POSTGRES
    if (GetParam() == Dialect::postgres) {
      database_ = std::make_unique<test::FreshPostgres>();
      ground_ = postgres_ground(database_->conninfo());
      return;
    }
#endif
    ground_ = sqlite_ground(directory_.path().string());
  }

  [[nodiscard]] std::unique_ptr<Floor> floor() { return floor_at(ground_->fresh_floor(), {}); }
  [[nodiscard]] Store queue() { return open(ground_->fresh_queue()); }

  static QueueStats stats(const Store& store) {
    const auto queues = store.stats();
    return queues.empty() ? QueueStats{} : queues.front();
  }

 private:
  test::TemporaryDirectory directory_;
#ifdef HOLDFAST_WITH_POSTGRES
  std::unique_ptr<test::FreshPostgres> database_;
#endif
  std::unique_ptr<Ground> ground_;
};

TEST_P(BenchFloor, inserts_as_many_jobs) {
  const auto by_hand = floor();
  EXPECT_GT(by_hand->enqueue(jobs, 100), 0);
  EXPECT_EQ(by_hand->rows().jobs, jobs);

  const Store store = queue();
  EXPECT_GT(enqueue_by_thousands(store, jobs, {}), 0);
  EXPECT_EQ(stats(store).ready, jobs);
}

TEST_P(BenchFloor, inserts_as_many_jobs_from_threads) {
  const auto by_hand = floor();
  EXPECT_GT(by_hand->enqueue_from(4, 20), 0);
  EXPECT_EQ(by_hand->rows().jobs, 20);
}

TEST_P(BenchFloor, leaves_a_row_of_history_for_each_job_and_nothing_else) {
  const auto by_hand = floor();
  static_cast<void>(by_hand->enqueue(jobs, 1000));
  EXPECT_GT(by_hand->claim_settle(jobs, 100), 0);
  EXPECT_EQ(by_hand->rows().history, jobs);
  EXPECT_EQ(by_hand->rows().jobs, 0);
  EXPECT_EQ(by_hand->rows().claims, 0);

  const Store loop = queue();
  enqueue_by_thousands(loop, jobs, {});
  EXPECT_GT(ClaimLoop(loop).run(jobs, 100, {}), 0);
  EXPECT_EQ(stats(loop).succeeded, jobs);
  EXPECT_EQ(stats(loop).ready + stats(loop).running, 0);
}

TEST_P(BenchFloor, a_drained_queue_has_all_its_jobs_in_history) {
  const Store store = queue();
  enqueue_by_thousands(store, jobs, {});
  EXPECT_GT(seconds_to_drain(store, jobs, {}), 0);
  EXPECT_EQ(stats(store).succeeded, jobs);
}

#ifdef HOLDFAST_WITH_POSTGRES
INSTANTIATE_TEST_SUITE_P(Both, BenchFloor, testing::Values(Dialect::sqlite, Dialect::postgres));
#else
INSTANTIATE_TEST_SUITE_P(Sqlite, BenchFloor, testing::Values(Dialect::sqlite));
#endif

}  // namespace
}  // namespace holdfast::bench
