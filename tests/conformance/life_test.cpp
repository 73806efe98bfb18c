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

class Life : public QueueTest {};
class Operating : public QueueTest {};
INSTANTIATE_TEST_SUITE_P(Everywhere, Life, every_backend, backend_name);
INSTANTIATE_TEST_SUITE_P(Everywhere, Operating, every_backend, backend_name);

const Operator ops{.actor = "ops", .reason = "because"};

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

TEST_P(Life, a_replay_renews_the_tries_of_an_unreadable_payload) {
  const auto id = q.enqueue("k").id;
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(q.settle(q.claim_one(), Event::undecodable), Settlement::settled);
    q.advance(minutes(10));
  }
  EXPECT_EQ(q.state(id), JobState::quarantined);
  EXPECT_EQ(q.store().replay(id, ops).what, Replayed::What::replayed);
  EXPECT_EQ(q.settle(q.claim_one(), Event::undecodable), Settlement::settled);
  EXPECT_EQ(q.state(id), JobState::retrying);
}

TEST_P(Life, a_replay_forgives_earlier_losses) {
  const auto id = q.enqueue("k", {.max_attempts = 2}).id;
  for (int i = 0; i < 2; ++i) {
    (void)q.claim_one();
    q.advance(seconds(31));
    EXPECT_EQ(q.sweep(), 1);
    q.advance(hours(25));
  }
  EXPECT_EQ(q.state(id), JobState::quarantined);
  EXPECT_EQ(q.store().replay(id, ops).what, Replayed::What::replayed);
  (void)q.claim_one();
  q.advance(seconds(31));
  EXPECT_EQ(q.sweep(), 1);
  EXPECT_EQ(q.state(id), JobState::ready) << "a first loss is taken over at once";
}

TEST_P(Life, a_pick_that_would_end_a_rearmed_job_runs_its_newer_intent) {
  const auto id = q.enqueue("k", {.unique_key = "u"}, "old").id;
  q.connection().execute("update " + q.table("jobs") + " set attempt = 20");
  const auto picked = q.claim_one();  // its budget is used up
  (void)q.enqueue("k", {.unique_key = "u", .on_conflict = OnConflict::replace}, "new");
  EXPECT_EQ(q.settle(picked, Event::picked), Settlement::settled);
  const auto next = q.claim_one();
  EXPECT_EQ(next.id, id);
  EXPECT_EQ(next.payload, "new");
  EXPECT_EQ(next.revision, 2);
}

TEST_P(Life, a_pick_that_can_start_after_all_is_handed_back) {
  const auto id = q.enqueue("k").id;
  q.connection().execute("update " + q.table("jobs") + " set attempt = 20");
  const auto picked = q.claim_one();
  q.connection().execute("insert into " + q.table("queues") +
                         " (queue, max_attempts) values ('default', 30)");
  q.use({});  // reads the contract
  EXPECT_EQ(q.settle(picked, Event::picked), Settlement::settled);
  EXPECT_EQ(q.state(id), JobState::ready);
  EXPECT_EQ(q.claim_one().attempt, 21);
}

TEST_P(Life, a_sweep_recovers_however_many_claims_there_are) {
  constexpr int jobs = 230;
  (void)q.store().enqueue(std::vector<NewJob>(jobs, NewJob{"k", "{}", {}}));
  for (int i = 0; i < jobs; ++i) (void)q.claim_one("w" + std::to_string(i));
  q.advance(seconds(31));
  EXPECT_EQ(q.sweep(), jobs);
  EXPECT_EQ(q.number("select count(*) from " + q.table("claims")), 0);
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

TEST_P(Operating, cancel_of_a_quarantined_job_says_that_it_waits_for_a_person) {
  const auto id = q.enqueue("k").id;
  EXPECT_EQ(q.settle(q.claim_one(), Event::quarantine_decided), Settlement::settled);
  EXPECT_EQ(q.store().cancel(id, ops), Cancelled::quarantined);
  EXPECT_EQ(q.state(id), JobState::quarantined);
}

TEST_P(Operating, cancel_of_a_rearmed_job_keeps_the_newer_payload_in_its_receipt) {
  const auto id = q.enqueue("k", {.unique_key = "u"}, "old").id;
  const auto running = q.claim_one();
  (void)q.enqueue("k", {.unique_key = "u", .on_conflict = OnConflict::replace}, "the newer one");
  EXPECT_EQ(q.store().cancel(id, ops), Cancelled::requested);
  EXPECT_EQ(q.settle(running, Event::failed), Settlement::settled);
  EXPECT_EQ(q.state(id), JobState::cancelled);
  EXPECT_EQ(q.number("select count(*) from " + q.table("receipts") +
                     " where before like '%the newer one%'"),
            1);
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

}  // namespace
}  // namespace holdfast::test
