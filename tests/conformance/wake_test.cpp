#include "conformance/wake_test.hpp"

#include <cstdlib>
#include <optional>
#include <random>

#include "support/campaign.hpp"

/// Sleeping workers are told of new jobs, whoever inserts them and however.
namespace holdfast::test {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

class WakeUps : public WakeTest {};
INSTANTIATE_TEST_SUITE_P(Everywhere, WakeUps, ::testing::Values(Backend::file, Backend::postgres),
                         backend_name);

TEST_P(WakeUps, follow_a_plain_insert_of_another_process) {
  const RunningWorker worker(q.store(), counting(), sleepy());
  ASSERT_TRUE(asleep());
  const std::string command =
      on_postgres()
          ? "psql --no-psqlrc -q -c \"insert into holdfast.jobs (kind) values ('k')\" \"" +
                q.address() + "\""
          : "python3 -c \"import sqlite3; c = sqlite3.connect('" + q.address() +
                "'); c.execute('pragma synchronous = full');"
                " c.execute('insert into holdfast_jobs (kind) values (\\\"k\\\")'); c.commit()\"";
  ASSERT_EQ(std::system(command.c_str()), 0);
  EXPECT_TRUE(started(1));
}

TEST_P(WakeUps, follow_a_commit_that_comes_long_after_its_insert) {
  const RunningWorker worker(q.store(), counting(), sleepy());
  ASSERT_TRUE(asleep());
  q.connection().begin();
  plain_insert();
  std::this_thread::sleep_for(milliseconds(300));
  EXPECT_EQ(started_, 0);
  ASSERT_EQ(q.connection().commit(), db::Committed::yes);
  EXPECT_TRUE(started(1));
}

TEST_P(WakeUps, are_never_lost_between_looking_and_falling_asleep) {
  const RunningWorker worker(q.store(), counting(), sleepy());
  std::mt19937 random(7);
  std::uniform_int_distribution<int> soon(0, 400);
  std::uniform_int_distribution<int> about_to_sleep(5'000, 25'000);
  const int all = rounds(2'000, 100'000);
  for (int round = 0; round < all; ++round) {
    plain_insert();
    ASSERT_TRUE(started(round + 1)) << "round " << round;
    const int pause = round % 10 == 0 ? about_to_sleep(random) : soon(random);
    std::this_thread::sleep_for(microseconds(pause));
  }
}

TEST_P(WakeUps, reach_every_sleeper_that_is_needed) {
  constexpr int workers = 6;
  std::atomic<int> running = 0;
  Signal together;
  Handlers handlers;
  handlers.on("k", [&](Run&) {
    if (++running == workers) together.raise();
    (void)together.wait();
    return done();
  });
  std::vector<std::unique_ptr<RunningWorker>> crew;
  for (int i = 0; i < workers; ++i) {
    crew.push_back(std::make_unique<RunningWorker>(q.store(), handlers, sleepy()));
  }
  ASSERT_TRUE(asleep(workers));
  for (int i = 0; i < workers; ++i) plain_insert();
  EXPECT_TRUE(together.wait()) << running << " of " << workers;
}

TEST_P(WakeUps, come_when_a_job_is_due_also_with_fractions_of_a_second) {
  const RunningWorker worker(q.store(), counting(), sleepy());
  ASSERT_TRUE(asleep());
  const auto enqueued = std::chrono::steady_clock::now();
  (void)enqueue("k", {.delay = milliseconds(1'250)});
  ASSERT_TRUE(started(1));
  EXPECT_GE(std::chrono::steady_clock::now() - enqueued, milliseconds(1'200));
}

TEST_P(WakeUps, come_for_a_retry_that_was_put_off_after_the_last_look) {
  std::atomic<int> tries = 0;
  Handlers handlers;
  handlers.on("k", [&](Run&) {
    if (++tries == 1) return snooze(milliseconds(700));
    ++started_;
    return done();
  });
  const RunningWorker worker(q.store(), std::move(handlers), sleepy());
  ASSERT_TRUE(asleep());
  plain_insert();
  EXPECT_TRUE(started(1));
}

/// Somebody else holds the job, or the file, over its due time: the worker does not go back to
/// sleep over it.
TEST_P(WakeUps, are_not_forgotten_when_a_lock_is_held_over_the_due_time) {
  const RunningWorker worker(q.store(), counting(), sleepy());
  ASSERT_TRUE(asleep());
  const JobId job = enqueue("k", {.delay = milliseconds(500)});
  q.connection().begin();
  if (on_postgres()) {
    q.connection().execute("select from " + q.table("jobs") + " where id = $1 for update", {job});
  }
  std::this_thread::sleep_for(milliseconds(1'500));
  EXPECT_EQ(started_, 0);
  const auto released = std::chrono::steady_clock::now();
  q.connection().rollback();
  ASSERT_TRUE(started(1));
  EXPECT_LT(std::chrono::steady_clock::now() - released, seconds(10));
}

TEST_P(WakeUps, follow_when_another_worker_took_the_due_job_and_died) {
  plain_insert();
  const auto taken =
      q.claim({.worker = "dead", .lease = milliseconds(500) - std::chrono::hours(1)});
  ASSERT_EQ(taken.size(), 1U);
  const RunningWorker worker(q.store(), counting(), sleepy());
  EXPECT_TRUE(started(1));
}

TEST_P(WakeUps, follow_an_operator_who_replays_a_job) {
  Handlers handlers;
  handlers.on("k", [&](Run&) { return ++started_ == 1 ? quarantine("not this time") : done(); });
  const RunningWorker worker(q.store(), std::move(handlers), sleepy());
  const JobId job = enqueue("k");
  ASSERT_TRUE(reaches(job, JobState::quarantined));
  ASSERT_TRUE(asleep());
  (void)q.store().replay(job, {"ann", "the data is mended"});
  EXPECT_TRUE(reaches(job, JobState::succeeded));
}

class WakeUpsInOneProcess : public WakeTest {};
INSTANTIATE_TEST_SUITE_P(Everywhere, WakeUpsInOneProcess, healthy_backends, backend_name);

TEST_P(WakeUpsInOneProcess, follow_an_enqueue_through_the_store_of_the_worker) {
  const RunningWorker worker(q.store(), counting(), sleepy());
  for (int job = 1; job <= 20; ++job) {
    (void)enqueue("k");
    ASSERT_TRUE(started(job));
  }
}

TEST_P(WakeUpsInOneProcess, stop_with_the_worker) {
  {
    const RunningWorker worker(q.store(), counting(), sleepy());
    (void)enqueue("k");
    ASSERT_TRUE(started(1));
  }
  (void)enqueue("k");
  EXPECT_EQ(started_, 1);
}

class IdleWorker : public WakeTest {};
INSTANTIATE_TEST_SUITE_P(Everywhere, IdleWorker, ::testing::Values(Backend::file), backend_name);

TEST_P(IdleWorker, writes_nothing_and_leaves_the_write_lock_alone) {
  const RunningWorker worker(q.store(), counting(), sleepy());
  plain_insert();
  ASSERT_TRUE(started(1));
  ASSERT_TRUE(eventually([&] { return q.number("select count(*) from holdfast_claims") == 0; }));
  const auto before = q.number("pragma data_version");
  std::this_thread::sleep_for(milliseconds(700));
  EXPECT_EQ(q.number("pragma data_version"), before);
}

}  // namespace
}  // namespace holdfast::test
