#include <set>
#include <string>
#include <vector>

#include "conformance/queue_test.hpp"
#include "holdfast/error.hpp"

namespace holdfast::test {
namespace {

using queue::Event;
using queue::Settlement;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

class Claiming : public QueueTest {};
class Lease : public QueueTest {};
class Life : public QueueTest {};
class Operating : public QueueTest {};
class HooksOf : public QueueTest {};
INSTANTIATE_TEST_SUITE_P(Everywhere, Claiming, every_backend, backend_name);
INSTANTIATE_TEST_SUITE_P(Everywhere, Lease, every_backend, backend_name);
INSTANTIATE_TEST_SUITE_P(Everywhere, Life, every_backend, backend_name);
INSTANTIATE_TEST_SUITE_P(Everywhere, Operating, every_backend, backend_name);
INSTANTIATE_TEST_SUITE_P(Everywhere, HooksOf, every_backend, backend_name);

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

TEST_P(Life, failures_back_off_and_end_in_quarantine_with_their_reason) {
  const auto id = q.enqueue("k", {.max_attempts = 3}).id;
  for (int attempt = 1; attempt <= 3; ++attempt) {
    const auto job = q.claim_one();
    EXPECT_EQ(job.attempt, attempt);
    queue::Happened failed;
    failed.event = Event::failed;
    failed.failure = FailureClass::external;
    failed.reason = "mail host is down";
    EXPECT_EQ(q.settle(job, failed), Settlement::settled);
    if (attempt < 3) {
      EXPECT_EQ(q.state(id), JobState::retrying);
      EXPECT_TRUE(q.claim({}).empty()) << "backing off";
      q.advance(hours(25));
    }
  }
  const auto job = q.find(id);
  EXPECT_EQ(job->state, JobState::quarantined);
  EXPECT_EQ(job->last_error, "mail host is down");
  EXPECT_EQ(job->last_failure, FailureClass::external);
  EXPECT_EQ(q.number("select count(*) from " + q.table("attempts")), 3);
}

TEST_P(Life, a_snooze_uses_no_attempt) {
  const auto id = q.enqueue("k", {.max_attempts = 1}).id;
  for (int i = 0; i < 5; ++i) {
    queue::Happened snoozed;
    snoozed.event = Event::snoozed;
    snoozed.delay = seconds(10);
    EXPECT_EQ(q.settle(q.claim_one(), snoozed), Settlement::settled);
    EXPECT_TRUE(q.claim({}).empty());
    q.advance(seconds(10));
  }
  EXPECT_EQ(q.settle(q.claim_one(), Event::succeeded), Settlement::settled);
  EXPECT_EQ(q.state(id), JobState::succeeded);
}

TEST_P(Life, an_unreadable_payload_gets_three_tries_in_ten_minutes) {
  const auto id = q.enqueue("k").id;
  EXPECT_EQ(q.settle(q.claim_one(), Event::undecodable), Settlement::settled);
  q.advance(minutes(1));
  EXPECT_EQ(q.settle(q.claim_one(), Event::undecodable), Settlement::settled);
  q.advance(minutes(9));
  EXPECT_EQ(q.settle(q.claim_one(), Event::undecodable), Settlement::settled);
  EXPECT_EQ(q.state(id), JobState::quarantined);
  EXPECT_EQ(q.find(id)->last_failure, FailureClass::data);
}

TEST_P(Life, a_job_that_kills_its_workers_ends_in_quarantine_after_its_attempts) {
  const auto id = q.enqueue("k", {.max_attempts = 3}).id;
  for (int attempt = 1; attempt <= 3; ++attempt) {
    EXPECT_EQ(q.claim_one().attempt, attempt);
    q.advance(seconds(31));
    EXPECT_EQ(q.sweep(), 1);
    q.advance(hours(25));
  }
  const auto job = q.find(id);
  EXPECT_EQ(job->state, JobState::quarantined);
  EXPECT_EQ(job->last_failure, FailureClass::lost);
  EXPECT_NE(job->last_error->find("worker died"), std::string::npos);
}

TEST_P(Life, history_and_attempts_tell_every_attempt_once) {
  const auto id = q.enqueue("k").id;
  EXPECT_EQ(q.settle(q.claim_one(), Event::failed), Settlement::settled);
  q.advance(hours(1));
  EXPECT_EQ(q.settle(q.claim_one(), Event::succeeded), Settlement::settled);
  EXPECT_EQ(q.number("select count(*) from " + q.table("attempts")), 1);
  EXPECT_EQ(q.number("select count(*) from " + q.table("history")), 1);
  EXPECT_EQ(q.number("select count(*) from " + q.table("jobs")), 0);
  EXPECT_EQ(q.find(id)->attempt, 2);
}

TEST_P(Life, an_error_text_that_no_database_takes_is_kept_readable) {
  const auto id = q.enqueue("k").id;
  queue::Happened failed;
  failed.event = Event::failed;
  failed.reason = std::string("bad \xff byte and zero \0 end", 25);
  EXPECT_EQ(q.settle(q.claim_one(), failed), Settlement::settled);
  EXPECT_EQ(q.find(id)->last_error, "bad \uFFFD byte and zero \uFFFD end");
}

TEST_P(Operating, cancel_of_a_waiting_job_is_final_and_has_a_receipt) {
  const auto id = q.enqueue("k").id;
  EXPECT_EQ(q.store().cancel(id, ops), Cancelled::cancelled);
  EXPECT_EQ(q.state(id), JobState::cancelled);
  EXPECT_EQ(q.store().cancel(id, ops), Cancelled::already_final);
  EXPECT_EQ(q.store().cancel(99999, ops), Cancelled::not_found);
  EXPECT_EQ(q.number("select count(*) from " + q.table("receipts")), 1);
}

TEST_P(Operating, cancel_of_a_running_job_ends_it_unless_it_succeeds) {
  const auto first = q.enqueue("k").id;
  const auto failing = q.claim_one();
  EXPECT_EQ(q.store().cancel(first, ops), Cancelled::requested);
  EXPECT_EQ(q.settle(failing, Event::failed), Settlement::settled);
  EXPECT_EQ(q.state(first), JobState::cancelled);
  const auto second = q.enqueue("k").id;
  const auto winning = q.claim_one();
  EXPECT_EQ(q.store().cancel(second, ops), Cancelled::requested);
  EXPECT_EQ(q.settle(winning, Event::succeeded), Settlement::settled);
  EXPECT_EQ(q.state(second), JobState::succeeded);
}

TEST_P(Operating, cancel_of_a_job_whose_worker_died_is_done_by_the_sweep) {
  const auto id = q.enqueue("k").id;
  (void)q.claim_one();
  EXPECT_EQ(q.store().cancel(id, ops), Cancelled::requested);
  q.advance(seconds(31));
  EXPECT_EQ(q.sweep(), 1);
  EXPECT_EQ(q.state(id), JobState::cancelled);
}

TEST_P(Operating, replay_of_a_quarantined_job_gives_a_new_budget_and_keeps_its_fence) {
  const auto id = q.enqueue("k", {.max_attempts = 1}).id;
  EXPECT_EQ(q.settle(q.claim_one(), Event::failed), Settlement::settled);
  EXPECT_EQ(q.state(id), JobState::quarantined);
  EXPECT_EQ(q.store().replay(id, ops).what, Replayed::What::replayed);
  EXPECT_EQ(q.store().replay(id, ops).what, Replayed::What::live);
  const auto job = q.claim_one();
  EXPECT_EQ(job.id, id);
  EXPECT_EQ(job.attempt, 1);
  EXPECT_EQ(job.fence, 2);
  EXPECT_EQ(q.settle(job, Event::succeeded), Settlement::settled);
  EXPECT_EQ(q.number("select count(*) from " + q.table("receipts")), 1) << "one run, one receipt";
}

TEST_P(Operating, replay_of_a_finished_job_is_a_new_job) {
  const auto id = q.enqueue("k", {}, "again").id;
  EXPECT_EQ(q.settle(q.claim_one(), Event::succeeded), Settlement::settled);
  const auto replayed = q.store().replay(id, ops);
  EXPECT_EQ(replayed.what, Replayed::What::new_job);
  const auto job = q.claim_one();
  EXPECT_EQ(job.id, replayed.id);
  EXPECT_EQ(job.payload, "again");
  EXPECT_EQ(job.replay_of, id);
  EXPECT_EQ(q.state(id), JobState::succeeded);
}

TEST_P(Operating, replay_into_a_taken_key_changes_nothing) {
  const auto id = q.enqueue("k", {.max_attempts = 1, .unique_key = "u"}).id;
  EXPECT_EQ(q.settle(q.claim_one(), Event::failed), Settlement::settled);
  const auto holder = q.enqueue("k", {.unique_key = "u"}).id;
  const auto before = q.dump();
  const auto answer = q.store().replay(id, ops);
  EXPECT_EQ(answer.what, Replayed::What::key_taken);
  EXPECT_EQ(answer.id, holder);
  EXPECT_EQ(q.dump(), before);
}

TEST_P(Operating, an_action_without_actor_or_reason_is_refused) {
  const auto id = q.enqueue("k").id;
  EXPECT_THROW((void)q.store().cancel(id, {.actor = "", .reason = "r"}), Error);
  EXPECT_THROW((void)q.store().replay(id, {.actor = "a", .reason = ""}), Error);
  EXPECT_EQ(q.state(id), JobState::ready);
}

TEST_P(Operating, discard_ends_a_quarantined_job) {
  const auto id = q.enqueue("k", {.max_attempts = 1}).id;
  EXPECT_FALSE(q.store().discard(id, ops));
  EXPECT_EQ(q.settle(q.claim_one(), Event::failed), Settlement::settled);
  EXPECT_TRUE(q.store().discard(id, ops));
  EXPECT_EQ(q.state(id), JobState::discarded);
  EXPECT_FALSE(q.store().discard(id, ops));
}

TEST_P(Operating, every_job_is_in_exactly_one_list_and_one_count) {
  (void)q.enqueue("k", {.delay = hours(5)});
  (void)q.enqueue("other");
  for (const Event end :
       {Event::succeeded, Event::failed, Event::quarantine_decided, Event::cancel_decided}) {
    (void)q.enqueue("k");
    EXPECT_EQ(q.settle(q.claim_one(), end), Settlement::settled);
  }
  (void)q.enqueue("k");
  (void)q.claim_one();
  // The store reads the real clock, an hour behind the time of this test: count by that.
  std::set<JobId> seen;
  std::size_t listed = 0;
  for (const auto state :
       {JobState::scheduled, JobState::retrying, JobState::ready, JobState::running,
        JobState::succeeded, JobState::cancelled, JobState::discarded, JobState::quarantined}) {
    for (const auto& job : q.store().list({.state = state})) {
      ++listed;
      seen.insert(job.id);
      EXPECT_EQ(q.store().find(job.id)->state, state);
    }
  }
  EXPECT_EQ(listed, 7u);
  EXPECT_EQ(seen.size(), 7u);
  const auto stats = q.store().stats().front();
  EXPECT_EQ(stats.scheduled + stats.retrying + stats.ready + stats.running + stats.succeeded +
                stats.cancelled + stats.discarded + stats.quarantined,
            7);
}

TEST_P(HooksOf, run_in_the_transaction_that_makes_the_job_final) {
  q.connection().execute("create table effects (what text)");
  Handlers handlers;
  handlers.on("k", [](holdfast::Run&) { return done(); })
      .on_success(
          [](Session& tx, const JobRow&) { tx.execute("insert into effects values ('success')"); })
      .on_quarantine([](Session& tx, const JobRow&) {
        tx.execute("insert into effects values ('quarantine')");
      });
  q.use(handlers);
  const auto good = q.enqueue("k").id;
  EXPECT_EQ(q.settle(q.claim_one(), Event::succeeded), Settlement::settled);
  EXPECT_EQ(q.state(good), JobState::succeeded);
  const auto bad = q.enqueue("k", {.max_attempts = 1}).id;
  (void)q.claim_one();
  q.advance(seconds(31));
  EXPECT_EQ(q.sweep(), 1) << "recovery of a dead worker runs them too";
  EXPECT_EQ(q.state(bad), JobState::quarantined);
  EXPECT_EQ(q.number("select count(*) from effects"), 2);
}

TEST_P(HooksOf, one_that_throws_leaves_the_job_non_final_and_is_tried_again) {
  q.connection().execute("create table effects (what text)");
  bool broken = true;
  Handlers handlers;
  handlers.on("k", [](holdfast::Run&) { return done(); })
      .on_quarantine([&](Session& tx, const JobRow&) {
        tx.execute("insert into effects values ('quarantine')");
        if (broken) throw std::runtime_error("refund service is down");
      });
  q.use(handlers);
  const auto id = q.enqueue("k", {.max_attempts = 1}).id;
  EXPECT_EQ(q.settle(q.claim_one(), Event::failed), Settlement::settled);
  EXPECT_EQ(q.state(id), JobState::retrying);
  EXPECT_NE(q.find(id)->last_error->find("refund service is down"), std::string::npos);
  EXPECT_EQ(q.number("select count(*) from effects"), 0);
  broken = false;
  q.advance(hours(1));
  EXPECT_EQ(q.settle(q.claim_one(), Event::picked), Settlement::settled);
  EXPECT_EQ(q.state(id), JobState::quarantined);
  EXPECT_EQ(q.number("select count(*) from effects"), 1);
}

TEST_P(HooksOf, a_process_without_them_leaves_the_end_to_one_that_has_them) {
  Handlers with_hooks;
  int hooked = 0;
  with_hooks.on("k", [](holdfast::Run&) { return done(); })
      .on_cancel([&](Session&, const JobRow&) { ++hooked; })
      .on_quarantine([&](Session&, const JobRow&) { ++hooked; });
  q.use(with_hooks);
  Handlers none;
  q.use(none);  // the table remembers that somebody has hooks for k
  const auto cancelled = q.enqueue("k").id;
  EXPECT_EQ(q.store().cancel(cancelled, ops), Cancelled::requested);
  const auto lost = q.enqueue("k", {.max_attempts = 1}).id;
  for (int i = 0; i < 2; ++i) (void)q.claim_one();
  q.advance(seconds(31));
  EXPECT_EQ(q.sweep(), 2);
  EXPECT_EQ(hooked, 0);
  q.use(with_hooks);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(q.settle(q.claim_one(), Event::picked), Settlement::settled);
  }
  EXPECT_EQ(hooked, 2);
  EXPECT_EQ(q.state(cancelled), JobState::cancelled);
  EXPECT_EQ(q.state(lost), JobState::quarantined);
}

}  // namespace
}  // namespace holdfast::test
