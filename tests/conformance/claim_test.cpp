#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "conformance/queue_test.hpp"

namespace holdfast::test {
namespace {

using queue::Event;
using queue::Settlement;
using std::chrono::hours;
using std::chrono::seconds;

class Claiming : public QueueTest {};
class Lease : public QueueTest {};
INSTANTIATE_TEST_SUITE_P(Everywhere, Claiming, every_backend, backend_name);
INSTANTIATE_TEST_SUITE_P(Everywhere, Lease, every_backend, backend_name);

const Operator ops{.actor = "ops", .reason = "because"};

TEST_P(Claiming, goes_by_priority_then_due_time_then_id) {
  const Time due = q.now() - hours(2);
  const auto third = q.enqueue("k", {.priority = 5, .run_at = due}).id;
  const auto fourth = q.enqueue("k", {.priority = 5, .run_at = due}).id;
  const auto second = q.enqueue("k", {.priority = 5, .run_at = due - hours(1)}).id;
  const auto first = q.enqueue("k", {.priority = 0}).id;
  const auto last = q.enqueue("k", {.priority = 9, .run_at = due - hours(5)}).id;
  std::vector<JobId> order;
  for (const auto& job : q.claim({.limit = 500})) order.push_back(job.id);
  EXPECT_EQ(order, (std::vector<JobId>{first, second, third, fourth, last}));
}

TEST_P(Claiming, takes_no_more_than_asked_and_nothing_twice) {
  for (int i = 0; i < 50; ++i) (void)q.enqueue("k");
  std::set<JobId> seen;
  for (const int limit : {1, 7, 500}) {
    const auto jobs = q.claim({.limit = limit});
    EXPECT_LE(jobs.size(), static_cast<std::size_t>(limit));
    for (const auto& job : jobs) EXPECT_TRUE(seen.insert(job.id).second);
  }
  EXPECT_EQ(seen.size(), 50u);
  EXPECT_TRUE(q.claim({.limit = 500}).empty());
}

TEST_P(Claiming, leaves_kinds_it_cannot_run_and_other_queues) {
  (void)q.enqueue("other");
  (void)q.enqueue("k", {.queue = "elsewhere"});
  EXPECT_TRUE(q.claim({.limit = 10}).empty());
  EXPECT_EQ(q.claim({.limit = 10, .kinds = {"k", "other"}}).size(), 1u);
}

TEST_P(Claiming, gives_every_group_its_turn) {
  for (int i = 0; i < 300; ++i) (void)q.enqueue("k", {.group = "big"});
  for (int i = 0; i < 20; ++i) (void)q.enqueue("k", {.group = "small" + std::to_string(i)});
  for (int i = 0; i < 20; ++i) (void)q.enqueue("k");
  std::set<std::string> groups;
  std::size_t jobs = 0;
  queue::Claimer claimer("default", {"w1", {"k"}}, q.connection().dialect());
  for (int round = 0; round < 12; ++round) {
    db::Transaction transaction(q.connection());
    for (const auto& claim : claimer.claim(q.access(), q.now(), seconds(30), 16)) {
      for (const auto& job : claim.jobs) groups.insert(job.group), ++jobs;
    }
    transaction.commit_or_throw();
  }
  EXPECT_EQ(groups.size(), 22u) << "20 small ones, the big one, and the ungrouped";
  EXPECT_GE(jobs, 100u);
}

TEST_P(Claiming, with_room_for_one_grouped_and_ungrouped_jobs_take_turns) {
  for (int i = 0; i < 4; ++i) {
    (void)q.enqueue("k");
    (void)q.enqueue("k", {.group = "tenant"});
  }
  queue::Claimer claimer("default", {"w1", {"k"}}, q.connection().dialect());
  int grouped = 0;
  for (int i = 0; i < 4; ++i) {
    db::Transaction transaction(q.connection());
    const auto claims = claimer.claim(q.access(), q.now(), seconds(30), 1);
    transaction.commit_or_throw();
    ASSERT_EQ(claims.size(), 1U);
    grouped += claims.front().jobs.front().group.empty() ? 0 : 1;
  }
  EXPECT_EQ(grouped, 2);
}

TEST_P(Claiming, a_saturated_counter_blocks_nobody) {
  const auto id = q.enqueue("k").id;
  q.connection().execute("update " + q.table("jobs") +
                         " set attempt = 2147483647, fence = 9007199254740991");
  for (int i = 0; i < 100; ++i) (void)q.enqueue("k");
  std::size_t claimed = 0;
  bool saturated_seen = false;
  for (int round = 0; round < 3; ++round) {
    for (const auto& job : q.claim({.limit = 50})) {
      ++claimed;
      const bool saturated = job.id == id;
      saturated_seen = saturated_seen || saturated;
      EXPECT_EQ(q.settle(job, saturated ? Event::failed : Event::succeeded), Settlement::settled);
    }
  }
  EXPECT_EQ(claimed, 101u);
  EXPECT_TRUE(saturated_seen);
  EXPECT_EQ(q.state(id), JobState::quarantined);
}

TEST_P(Lease, the_claim_row_holds_the_lease_of_all_its_jobs) {
  for (int i = 0; i < 3; ++i) (void)q.enqueue("k");
  const auto jobs = q.claim({.limit = 3});
  EXPECT_EQ(q.number("select count(*) from " + q.table("claims")), 1);
  q.advance(seconds(20));
  EXPECT_TRUE(q.renew(jobs[0], "w1", seconds(30)));
  EXPECT_FALSE(q.renew(jobs[0], "stranger", seconds(30)));
  q.advance(seconds(20));
  EXPECT_EQ(q.sweep(), 0) << "renewed";
  q.advance(seconds(11));
  EXPECT_EQ(q.sweep(), 3);
  EXPECT_FALSE(q.renew(jobs[0], "w1", seconds(30))) << "lost with every job";
}

TEST_P(Lease, late_worker_cannot_settle_after_takeover) {
  const auto id = q.enqueue("k").id;
  const auto stale = q.claim_one("w1");
  q.advance(seconds(31));
  EXPECT_EQ(q.sweep(), 1);
  const auto taken = q.claim_one("w2");
  EXPECT_EQ(taken.id, id);
  EXPECT_EQ(taken.attempt, 2);
  EXPECT_EQ(taken.fence, 2);
  const auto before = q.dump();
  for (const Event event : {Event::succeeded, Event::failed, Event::snoozed, Event::released,
                            Event::cancel_decided, Event::quarantine_decided, Event::timed_out}) {
    EXPECT_EQ(q.settle(stale, event), Settlement::lease_lost) << queue::to_string(event);
  }
  EXPECT_EQ(q.dump(), before) << "no row changed";
  EXPECT_EQ(q.settle(taken, {}, "w2"), Settlement::settled);
  EXPECT_EQ(q.state(id), JobState::succeeded);
}

TEST_P(Lease, settling_late_is_allowed_while_nobody_has_taken_over) {
  const auto id = q.enqueue("k").id;
  const auto job = q.claim_one();
  q.advance(hours(1));
  EXPECT_EQ(q.settle(job, Event::succeeded), Settlement::settled);
  EXPECT_EQ(q.sweep(), 0);
  EXPECT_EQ(q.state(id), JobState::succeeded);
}

TEST_P(Lease, a_sweep_after_the_settle_changes_nothing_of_the_job) {
  const auto id = q.enqueue("k").id;
  const auto job = q.claim_one();
  q.advance(seconds(31));
  EXPECT_EQ(q.settle(job, Event::succeeded), Settlement::settled);
  const auto before = q.find(id);
  EXPECT_EQ(q.sweep(), 0);
  const auto after = q.find(id);
  EXPECT_EQ(after->state, JobState::succeeded);
  EXPECT_EQ(after->attempt, before->attempt);
  EXPECT_EQ(after->finished_at, before->finished_at);
  EXPECT_EQ(q.number("select count(*) from " + q.table("claims")), 0) << "left with its last job";
}

TEST_P(Lease, settling_twice_answers_that_it_was_settled) {
  (void)q.enqueue("k");
  const auto job = q.claim_one();
  EXPECT_EQ(q.settle(job, Event::succeeded), Settlement::settled);
  const auto before = q.dump();
  EXPECT_EQ(q.settle(job, Event::succeeded), Settlement::already_settled);
  EXPECT_EQ(q.settle(job, Event::failed), Settlement::already_settled);
  EXPECT_EQ(q.dump(), before);
}

TEST_P(Lease, another_fence_or_claim_changes_nothing) {
  (void)q.enqueue("k");
  const auto job = q.claim_one();
  auto forged = job;
  forged.fence += 1;
  auto other = job;
  other.claim_id = *job.claim_id + 1;
  const auto before = q.dump();
  EXPECT_EQ(q.settle(forged, Event::succeeded), Settlement::lease_lost);
  EXPECT_EQ(q.settle(other, Event::failed), Settlement::lease_lost);
  EXPECT_EQ(q.dump(), before);
}

TEST_P(Lease, a_released_job_gets_its_attempt_back_but_never_a_used_fence) {
  const auto id = q.enqueue("k").id;
  const auto first = q.claim_one();
  EXPECT_EQ(q.settle(first, Event::released), Settlement::settled);
  const auto second = q.claim_one();
  EXPECT_EQ(second.id, id);
  EXPECT_EQ(second.attempt, 1);
  EXPECT_EQ(second.fence, 2);
  EXPECT_EQ(q.settle(first, Event::succeeded), Settlement::already_settled);
  EXPECT_EQ(q.state(id), JobState::running);
}

TEST_P(Lease, a_batch_of_500_settles_each_by_its_own_lease) {
  for (int i = 0; i < 500; ++i) (void)q.enqueue("k");
  const auto jobs = q.claim({.limit = 500});
  std::vector<queue::Ending> endings;
  for (const auto& job : jobs) {
    queue::Happened happened;
    if (job.id % 5 == 0) happened.event = Event::failed;
    auto lease = queue::lease_of(job);
    if (job.id % 7 == 0) lease.fence += 1;
    endings.push_back({lease, job.kind, happened, q.now()});
  }
  db::Transaction transaction(q.connection());
  const auto policies = queue::Policies::read(q.access());
  const auto answers = queue::settle({q.access(), policies, q.hooks(), "w1", q.now()}, endings);
  transaction.commit_or_throw();
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const bool forged = jobs[i].id % 7 == 0;
    EXPECT_EQ(answers[i], forged ? Settlement::lease_lost : Settlement::settled);
    const auto expected = forged                ? JobState::running
                          : jobs[i].id % 5 == 0 ? JobState::retrying
                                                : JobState::succeeded;
    EXPECT_EQ(q.state(jobs[i].id), expected);
  }
}

TEST_P(Lease, jobs_of_one_claim_with_different_fences_are_each_settled_by_their_own) {
  for (int i = 0; i < 10; ++i) (void)q.enqueue("k");
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(q.settle(q.claim_one(), Event::released), Settlement::settled);
  std::vector<queue::Ending> endings;
  std::set<std::int64_t> fences;
  for (const JobRow& job : q.claim({.limit = 10})) {
    endings.push_back({queue::lease_of(job), job.kind, {}, q.now()});
    fences.insert(job.fence);
  }
  EXPECT_GT(fences.size(), 1u);
  endings[4].lease.claim_id += 1;
  db::Transaction transaction(q.connection());
  const auto answers =
      queue::settle({q.access(), queue::Policies{}, q.hooks(), "w1", q.now()}, endings);
  EXPECT_EQ(transaction.commit(), db::Committed::yes);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    EXPECT_EQ(answers[i], i == 4 ? Settlement::lease_lost : Settlement::settled);
  }
}

}  // namespace
}  // namespace holdfast::test
