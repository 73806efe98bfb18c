#include "worker/round_size.hpp"

#include <gtest/gtest.h>

namespace holdfast::worker {
namespace {

using namespace std::chrono_literals;

/// The size after many rounds in which each end and each claim takes `each`.
int size_after(std::chrono::nanoseconds each, std::chrono::nanoseconds commit, bool beside) {
  RoundSize size(Dialect::sqlite, 500);
  for (int i = 0; i < 50; ++i) {
    const auto jobs = static_cast<std::size_t>(2 * size.jobs());
    size.took({jobs, each * static_cast<std::int64_t>(jobs), commit, beside});
  }
  return size.jobs();
}

TEST(RoundSize, fits_into_the_time_that_a_round_may_take) {
  EXPECT_EQ(size_after(25us, 1ms, false), 140);
  EXPECT_EQ(size_after(25us, 1ms, true), 50);
}

TEST(RoundSize, is_a_whole_batch_where_jobs_are_cheap) {
  EXPECT_EQ(size_after(2us, 1ms, false), 500);
}

TEST(RoundSize, a_slow_disk_does_not_make_rounds_small) {
  EXPECT_EQ(size_after(25us, 150ms, false), 140);
  EXPECT_EQ(size_after(25us, 150ms, true), 140);
}

TEST(RoundSize, expensive_hooks_do_not_make_a_round_of_one) {
  EXPECT_EQ(size_after(10ms, 1ms, true), RoundSize::jobs_least);
}

TEST(RoundSize, keeps_to_a_smaller_batch) { EXPECT_EQ(RoundSize(Dialect::sqlite, 4).jobs(), 4); }

TEST(RoundSize, is_the_batch_on_postgres_where_a_round_is_in_nobodys_way) {
  RoundSize size(Dialect::postgres, 500);
  size.took({100, 1s, 1ms, false});
  EXPECT_EQ(size.jobs(), 500);
}

}  // namespace
}  // namespace holdfast::worker
