// Batches beyond what a protocol or a handle can count.

#include <algorithm>
#include <vector>

#include "conformance/queue_test.hpp"

namespace holdfast::test {
namespace {

using queue::Settlement;

class LargeBatch : public QueueTest {};
INSTANTIATE_TEST_SUITE_P(Everywhere, LargeBatch,
                         ::testing::Values(Backend::file, Backend::postgres), backend_name);

/// More than the 65,535 parameters that PostgreSQL's protocol and the 32,766 that SQLite counts.
constexpr int beyond = 70'000;

std::vector<NewJob> many_jobs() { return std::vector<NewJob>(beyond, NewJob{"k", "", {}}); }

TEST_P(LargeBatch, is_enqueued_whole_and_answered_in_order) {
  const auto answers = q.store().enqueue(many_jobs());
  ASSERT_EQ(answers.size(), std::size_t{beyond});
  EXPECT_EQ(q.number("select count(*) from " + q.table("jobs")), beyond);
  for (std::size_t i = 1; i < answers.size(); ++i) ASSERT_LT(answers[i - 1].id, answers[i].id);
}

TEST_P(LargeBatch, is_settled_each_by_its_own_lease) {
  (void)q.store().enqueue(many_jobs());
  std::vector<queue::Ending> endings;
  for (const JobRow& job : q.claim({.limit = beyond})) {
    endings.push_back({queue::lease_of(job), job.kind, {}, q.now()});
  }
  ASSERT_EQ(endings.size(), std::size_t{beyond});
  endings.back().lease.fence += 1;
  db::Transaction transaction(q.connection());
  const auto answers =
      queue::settle({q.access(), queue::Policies{}, q.hooks(), "w1", q.now()}, endings);
  EXPECT_EQ(transaction.commit(), db::Committed::yes);
  EXPECT_EQ(std::count(answers.begin(), answers.end(), Settlement::settled), beyond - 1);
  EXPECT_EQ(answers.back(), Settlement::lease_lost);
  EXPECT_EQ(q.number("select count(*) from " + q.table("jobs")), 1);
}

}  // namespace
}  // namespace holdfast::test
