#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "conformance/queue_test.hpp"
#include "queue/claim.hpp"
#include "queue/settle.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

/// A queue from which tens of thousands of jobs have gone while an old snapshot was held, so that
/// their entries are still in the index and the cursor trails.
class LateCommits : public QueueTest {
 protected:
  LateCommits() : snapshot_(connect()), application_(connect()) {
    snapshot_->execute("begin isolation level repeatable read");
    snapshot_->execute("select count(*) from " + q.table("jobs"), {}, [](const Row&) {});
    const std::vector<NewJob> many(5000, NewJob{"k", "{}", {}});
    for (int i = 0; i < 4; ++i) static_cast<void>(q.store().enqueue(many));
    while (!claim().empty()) {
    }
  }
  ~LateCommits() override { snapshot_->execute("rollback"); }

  [[nodiscard]] std::unique_ptr<db::Connection> connect() {
    return q.store().state()->database().connect(db::Lane::normal);
  }

  /// Claims a batch by database time and settles it at once. Returns the ids.
  std::vector<JobId> claim() {
    db::Transaction transaction(q.connection());
    const Time now = q.connection().now();
    std::vector<JobId> ids;
    std::vector<queue::Ending> endings;
    for (const queue::Claim& claim : claimer_.claim(q.access(), now, 30s, 500)) {
      for (const JobRow& job : claim.jobs) {
        ids.push_back(job.id);
        endings.push_back({queue::lease_of(job), job.kind, {}, now});
      }
    }
    static_cast<void>(queue::settle({q.access(), policies_, q.hooks(), "w1", now}, endings));
    transaction.commit_or_throw();
    return ids;
  }

  JobId insert(db::Connection& connection) {
    JobId id = 0;
    connection.execute("insert into " + q.table("jobs") + " (kind) values ('k') returning id", {},
                       [&](const Row& row) { id = row.integer(0); });
    return id;
  }

  queue::Claimer claimer_{"default", {"w1", {"k"}}, Dialect::postgres};
  queue::Policies policies_;
  std::unique_ptr<db::Connection> snapshot_;
  std::unique_ptr<db::Connection> application_;
};
INSTANTIATE_TEST_SUITE_P(Everywhere, LateCommits, ::testing::Values(Backend::postgres),
                         backend_name);

// Case 25, and why the cursor trails.
TEST_P(LateCommits, are_claimed_by_the_next_look_though_later_jobs_went_before) {
  for (int i = 0; i < 20; ++i) {
    application_->begin();
    const JobId late = insert(*application_);
    const JobId later = insert(q.connection());
    EXPECT_EQ(claim(), std::vector<JobId>{later});
    ASSERT_EQ(application_->commit(), db::Committed::yes);
    EXPECT_EQ(claim(), std::vector<JobId>{late});
  }
}

// Case 13 on PostgreSQL: what an application has locked is passed over, not waited for.
TEST_P(LateCommits, a_row_that_an_application_has_locked_is_passed_over) {
  const JobId locked = insert(q.connection());
  const JobId free = insert(q.connection());
  application_->begin();
  application_->execute("select 1 from " + q.table("jobs") + " where id = $1 for update", {locked},
                        [](const Row&) {});
  q.connection().execute("set lock_timeout = '100ms'");
  EXPECT_EQ(claim(), std::vector<JobId>{free});
  application_->rollback();
}

}  // namespace
}  // namespace holdfast::test
