#include <atomic>
#include <latch>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "conformance/queue_test.hpp"
#include "queue/enqueue.hpp"
#include "queue/sweep.hpp"
#include "support/campaign.hpp"

/// Several connections at once.
namespace holdfast::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class Race : public QueueTest {
 protected:
  [[nodiscard]] std::unique_ptr<db::Connection> connect() {
    return q.store().state()->database().connect(db::Lane::normal);
  }

  /// Runs `body(connection, index)` in as many threads at the same instant.
  void together(int threads, const std::function<void(db::Connection&, int)>& body) {
    std::vector<std::unique_ptr<db::Connection>> connections;
    for (int i = 0; i < threads; ++i) connections.push_back(connect());
    std::latch start(threads);
    std::vector<std::jthread> running;
    for (int i = 0; i < threads; ++i) {
      running.emplace_back([&, i] {
        start.arrive_and_wait();
        body(*connections[static_cast<std::size_t>(i)], i);
      });
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Everywhere, Race, ::testing::Values(Backend::file, Backend::postgres),
                         backend_name);

TEST_P(Race, if_any_inserter_of_a_key_commits_exactly_one_job_lives) {
  for (int round = 0; round < rounds(40, 1000); ++round) {
    const std::string key = "key " + std::to_string(round);
    std::atomic<int> committed = 0;
    std::atomic<int> created = 0;
    together(5, [&](db::Connection& connection, int i) {
      const NewJob job{"k", "{}", {.unique_key = key}};
      db::Transaction transaction(connection);
      const auto answer = queue::enqueue({connection, q.sql()}, job, q.now());
      if ((round + i) % 3 == 0) return;  // rolls back, perhaps the very one the others waited for
      transaction.commit_or_throw();
      ++committed;
      if (answer.what == Enqueued::What::created) ++created;
    });
    const auto live =
        q.number("select count(*) from " + q.table("jobs") + " where unique_key = '" + key + "'");
    EXPECT_EQ(live, committed > 0 ? 1 : 0) << "round " << round;
    EXPECT_EQ(created, committed > 0 ? 1 : 0) << "round " << round;
  }
}

TEST_P(Race, no_job_is_claimed_twice) {
  constexpr int jobs = 400;
  (void)q.store().enqueue(std::vector<NewJob>(jobs, NewJob{"k", "{}", {}}));
  std::mutex mutex;
  std::multiset<JobId> claimed;
  together(6, [&](db::Connection& connection, int i) {
    queue::Claimer claimer("default", {"w" + std::to_string(i), {"k"}}, connection.dialect());
    for (int misses = 0; misses < 20;) {
      db::Transaction transaction(connection);
      const auto claims = claimer.claim({connection, q.sql()}, q.now(), seconds(30), 7);
      transaction.commit_or_throw();
      if (claims.empty()) ++misses;
      const std::lock_guard lock(mutex);
      for (const auto& claim : claims) {
        for (const auto& job : claim.jobs) claimed.insert(job.id);
      }
    }
  });
  EXPECT_EQ(claimed.size(), static_cast<std::size_t>(jobs));
  EXPECT_EQ(std::set<JobId>(claimed.begin(), claimed.end()).size(), claimed.size());
}

TEST_P(Race, a_settle_and_a_sweep_at_the_same_instant_end_the_job_once) {
  for (int round = 0; round < rounds(40, 1000); ++round) {
    const auto id = q.enqueue("k", {.max_attempts = 1}).id;
    const auto job = q.claim_one();
    q.advance(seconds(31));
    std::atomic<bool> settled = false;
    together(2, [&](db::Connection& connection, int i) {
      const store::Access access{connection, q.sql()};
      const auto policies = queue::Policies::read(access);
      if (i == 0) {
        (void)queue::sweep(q.now(), connection, q.sql(), policies, q.hooks());
        return;
      }
      const queue::Ending ending{queue::lease_of(job), job.kind, {}, q.now()};
      for (bool again = true; again;) {
        db::Transaction transaction(connection);
        const auto answer = queue::settle_one({access, policies, q.hooks(), "w1", q.now()}, ending);
        transaction.commit_or_throw();
        again = answer == queue::Settlement::held;
        settled = answer == queue::Settlement::settled;
      }
    });
    (void)q.sweep();  // what the first one had to skip
    EXPECT_EQ(q.state(id), settled ? JobState::succeeded : JobState::quarantined);
    EXPECT_EQ(q.number("select count(*) from " + q.table("all_jobs") +
                       " where id = " + std::to_string(id)),
              1);
  }
}

TEST_P(Race, a_claim_renewed_between_the_sweeps_read_and_its_mark_stays) {
  const auto id = q.enqueue("k").id;
  const auto job = q.claim_one();
  const auto late = q.now() + seconds(31);
  EXPECT_TRUE(q.renew(job, "w1", seconds(60)));
  const auto policies = queue::Policies::read(q.access());
  EXPECT_EQ(queue::sweep(late, q.connection(), q.sql(), policies, q.hooks()).claims, 0);
  EXPECT_EQ(q.state(id), JobState::running);
}

}  // namespace
}  // namespace holdfast::test
