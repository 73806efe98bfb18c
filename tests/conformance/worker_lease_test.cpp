#include <map>
#include <string>
#include <vector>

#include "conformance/worker_test.hpp"
#include "store/rows.hpp"

namespace holdfast::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class WorkerLease : public WorkerTest {
 protected:
  /// Ends every lease, as if its time were over and a sweep had come.
  void steal_leases() {
    q.connection().execute("update " + q.table("claims") + " set lease_until = 1");
    q.connection().execute("update " + q.table("claims") + " set lost_at = 1");
  }
};
INSTANTIATE_TEST_SUITE_P(Everywhere, WorkerLease, healthy_backends, backend_name);

TEST_P(WorkerLease, is_renewed_while_a_handler_runs) {
  Signal started;
  Signal go_on;
  Handlers handlers;
  handlers.on("k", [&](Run&) {
    started.raise();
    (void)go_on.wait();
    return done();
  });
  const JobId id = enqueue("k");
  WorkerOptions options = quick();
  options.lease = milliseconds(600);
  RunningWorker worker(q.store(), handlers, options);
  ASSERT_TRUE(started.wait());
  const auto lease_until = [&] {
    return q.number("select max(lease_until) from " + q.table("claims"));
  };
  const std::int64_t first = lease_until();
  EXPECT_TRUE(eventually([&] { return lease_until() > first + 2'000'000; }));
  go_on.raise();
  ASSERT_TRUE(reaches(id, JobState::succeeded));
  EXPECT_EQ(row(id).fence, 1);
}

TEST_P(WorkerLease, that_was_taken_away_stops_the_handler_and_its_late_end_changes_nothing) {
  Signal started;
  Signal go_on;
  Handlers slow;
  slow.on("k", [&](Run& run) {
    if (run.attempt() > 1) return snooze(std::chrono::hours(1));
    started.raise();
    wait_for(run.stop());
    (void)go_on.wait();
    return done();
  });
  (void)enqueue("k");
  WorkerOptions options = quick();
  options.queues = {{"default", {.threads = 2}}};
  RunningWorker worker(q.store(), slow, options);
  ASSERT_TRUE(started.wait());
  steal_leases();
  // The sweep ends the stolen attempt as lost, and the next one snoozes.
  const auto attempts = "select count(*) from " + q.table("attempts");
  ASSERT_TRUE(eventually([&] { return q.number(attempts) == 2; }));
  const std::string before = q.dump();
  go_on.raise();
  const WorkerReport report = worker.stop();
  EXPECT_EQ(report.leases_lost, 1);
  EXPECT_EQ(report.succeeded, 0);
  EXPECT_EQ(q.dump(), before);
}

// Case 08: the key is the job's, not the attempt's.
TEST_P(WorkerLease, that_was_taken_away_frees_no_unique_key_under_the_old_handler) {
  Signal started;
  Signal told;
  Signal go_on;
  Handlers handlers;
  handlers.on("k", [&](Run& run) {
    if (run.attempt() > 1) return snooze(std::chrono::hours(1));
    started.raise();
    wait_for(run.stop());
    told.raise();
    (void)go_on.wait();
    return done();
  });
  const JobId id = enqueue("k", {.unique_key = "one"});
  const auto again = [&] { return q.store().enqueue(NewJob{"k", "{}", {.unique_key = "one"}}); };
  WorkerOptions options = quick();
  options.queues = {{"default", {.threads = 2}}};
  RunningWorker worker(q.store(), handlers, options);
  ASSERT_TRUE(started.wait());
  EXPECT_EQ(again().id, id);
  const auto stolen = std::chrono::steady_clock::now();
  steal_leases();
  ASSERT_TRUE(told.wait());
  EXPECT_LT(std::chrono::steady_clock::now() - stolen, options.lease / 2);  // a heartbeat
  EXPECT_EQ(again().id, id);
  ASSERT_TRUE(
      eventually([&] { return q.number("select count(*) from " + q.table("attempts")) == 2; }));
  EXPECT_EQ(again().id, id);  // it waits, and its first handler still runs
  go_on.raise();
  EXPECT_EQ(worker.stop().leases_lost, 1);
  EXPECT_EQ(again().id, id);
  EXPECT_EQ(q.number("select count(*) from " + q.table("all_jobs")), 1);
}

TEST_P(WorkerLease, a_dead_workers_jobs_are_taken_over) {
  const JobId id = enqueue("k", {.run_at = Time(seconds(1))});
  q.advance(-std::chrono::hours(1));  // back to the clock that workers go by
  const auto claimed = q.claim({.worker = "dead", .lease = milliseconds(1)});
  ASSERT_EQ(claimed.size(), 1U);
  Handlers handlers;
  handlers.on("k", [](Run&) { return done(); });
  RunningWorker worker(q.store(), handlers);
  ASSERT_TRUE(reaches(id, JobState::succeeded));
  EXPECT_EQ(row(id).attempt, 2);
  EXPECT_EQ(q.number("select count(*) from " + q.table("attempts") + " where outcome = 'lost'"), 1);
}

TEST_P(WorkerLease, is_never_held_by_two_workers_at_once) {
  constexpr int jobs = 300;
  std::mutex mutex;
  std::map<JobId, int> running;
  std::map<JobId, int> starts;
  int together = 0;
  Handlers handlers;
  handlers.on("k", [&](Run& run) {
    {
      const std::lock_guard lock(mutex);
      if (++running[run.job().id] > 1) ++together;
      ++starts[run.job().id];
    }
    std::this_thread::yield();
    const std::lock_guard lock(mutex);
    --running[run.job().id];
    return done();
  });
  std::vector<NewJob> batch(jobs, NewJob{.kind = "k"});
  (void)q.store().enqueue(batch);
  WorkerOptions options = quick();
  options.queues = {{"default", {.threads = 3}}};
  options.batch = 20;
  RunningWorker one(q.store(), handlers, options);
  RunningWorker two(q.store(), handlers, options);
  ASSERT_TRUE(
      eventually([&] { return q.number("select count(*) from " + q.table("history")) == jobs; }));
  EXPECT_EQ(one.stop().succeeded + two.stop().succeeded, jobs);
  EXPECT_EQ(together, 0);
  for (const auto& [id, count] : starts) EXPECT_EQ(count, 1);
}

TEST_P(WorkerLease, a_handler_past_its_time_limit_is_told_and_its_failure_is_a_timeout) {
  Handlers handlers;
  handlers.on("k", [](Run& run) {
    wait_for(run.stop());
    return retry("stopped");
  });
  const JobId id = enqueue("k", {.max_attempts = 1, .timeout = milliseconds(50)});
  RunningWorker worker(q.store(), handlers);
  ASSERT_TRUE(reaches(id, JobState::quarantined));
  EXPECT_EQ(row(id).last_failure, FailureClass::timeout);
}

TEST_P(WorkerLease, a_handler_that_ignores_its_time_limit_is_given_up_on_and_replaced) {
  const auto go_on = std::make_shared<Signal>();
  const auto returned = std::make_shared<Signal>();
  Handlers handlers;
  handlers.on("stuck", [go_on, returned](Run&) {
    (void)go_on->wait();
    returned->raise();
    return done();
  });
  handlers.on("k", [](Run&) { return done(); });
  const JobId stuck = enqueue("stuck", {.max_attempts = 1, .timeout = milliseconds(50)});
  WorkerReport report;
  {
    RunningWorker worker(q.store(), handlers);
    ASSERT_TRUE(reaches(stuck, JobState::quarantined));
    EXPECT_EQ(row(stuck).last_failure, FailureClass::timeout);
    const JobId normal = enqueue("k");
    ASSERT_TRUE(reaches(normal, JobState::succeeded));
    report = worker.stop();
  }
  EXPECT_EQ(report.abandoned, std::vector<JobId>{stuck});
  const std::string before = q.dump();
  go_on->raise();  // it comes back when its worker is gone
  ASSERT_TRUE(returned->wait());
  EXPECT_EQ(q.dump(), before);
}

TEST_P(WorkerLease, a_deferred_attempt_past_its_time_limit_ends_too) {
  std::vector<Deferred> handles;
  Handlers handlers;
  handlers.on("k", [&](Run& run) {
    handles.push_back(run.defer());
    return deferred();
  });
  const JobId id = enqueue("k", {.max_attempts = 1, .timeout = milliseconds(50)});
  RunningWorker worker(q.store(), handlers);
  ASSERT_TRUE(reaches(id, JobState::quarantined));
  EXPECT_TRUE(worker.stop().abandoned.empty());
  const std::string before = q.dump();
  handles.front().settle(done());
  EXPECT_EQ(q.dump(), before);
}

class WorkerLeaseTogether : public WorkerLease {};
INSTANTIATE_TEST_SUITE_P(Everywhere, WorkerLeaseTogether,
                         ::testing::Values(Backend::memory, Backend::file), backend_name);

TEST_P(WorkerLeaseTogether, that_ran_out_with_others_gets_the_time_of_one_renewal) {
  const JobId slow = enqueue("k", {.priority = 0, .run_at = Time(seconds(1))});
  const JobId dead = enqueue("k", {.priority = 1, .run_at = Time(seconds(1))});
  q.advance(-std::chrono::hours(1));
  const auto of_slow = q.claim({.worker = "slow", .lease = milliseconds(1)});
  ASSERT_EQ(q.claim({.worker = "dead", .lease = milliseconds(1)}).size(), 1U);
  Handlers handlers;
  handlers.on("k", [](Run&) { return done(); });
  RunningWorker worker(q.store(), handlers);
  // The first sweep comes at once, and judges neither.
  const auto workers = "select count(*) from " + q.table("workers");
  ASSERT_TRUE(eventually([&] { return q.number(workers) == 1; }));
  EXPECT_TRUE(q.renew(of_slow.front(), "slow", std::chrono::hours(2)));
  ASSERT_TRUE(reaches(dead, JobState::succeeded));
  EXPECT_EQ(state(slow), JobState::running);
}

/// Databases in which another connection can be in the way.
class WorkerLeaseBlocked : public WorkerLease {};
INSTANTIATE_TEST_SUITE_P(Everywhere, WorkerLeaseBlocked,
                         ::testing::Values(Backend::file, Backend::postgres), backend_name);

// Case 05 c: the worker decides by its own clock.
TEST_P(WorkerLeaseBlocked, that_cannot_be_renewed_behind_a_lock_stops_its_handler_before_its_end) {
  Signal started;
  Signal told;
  std::atomic<std::int64_t> told_at = 0;
  Handlers handlers;
  handlers.on("k", [&](Run& run) -> Outcome {
    if (run.fence() > 1) return done();
    started.raise();
    wait_for(run.stop());
    told_at = store::micros(std::chrono::floor<Duration>(std::chrono::system_clock::now()));
    told.raise();
    return retry("told to stop", FailureClass::external, milliseconds(1));
  });
  const JobId id = enqueue("k");
  WorkerOptions options = quick();
  options.lease = seconds(1);
  RunningWorker worker(q.store(), handlers, options);
  ASSERT_TRUE(started.wait());

  // SQLite's write lock is taken by begin; on PostgreSQL the claim's row is held.
  q.connection().begin();
  q.connection().execute("update " + q.table("claims") + " set worker = worker");
  const std::int64_t lease_until = q.number("select max(lease_until) from " + q.table("claims"));
  const auto locked = std::chrono::steady_clock::now();
  EXPECT_TRUE(told.wait());
  EXPECT_LT(told_at, lease_until);
  std::this_thread::sleep_until(locked + 3 * options.lease / 2);
  q.connection().rollback();

  ASSERT_TRUE(reaches(id, JobState::succeeded));
  EXPECT_EQ(row(id).attempt, 1);  // it was not to blame
}

TEST_P(WorkerLease, is_renewed_while_a_stop_callback_of_the_application_blocks) {
  const auto go_on = std::make_shared<Signal>();
  Signal called;
  Signal held;
  std::atomic<int> started = 0;
  Handlers handlers;
  handlers.on("blocks", [&, go_on](Run& run) {
    const std::stop_callback callback(run.stop(), [&] {
      called.raise();
      (void)go_on->wait();
    });
    ++started;
    (void)called.wait();
    return done();
  });
  handlers.on("held", [&](Run&) {
    ++started;
    (void)held.wait();
    return done();
  });
  const JobId blocks = enqueue("blocks");
  const JobId id = enqueue("held");
  WorkerOptions options = quick();
  options.lease = milliseconds(600);
  options.queues = {{"default", {.threads = 2}}};
  RunningWorker worker(q.store(), handlers, options);
  ASSERT_TRUE(eventually([&] { return started == 2; }));
  EXPECT_EQ(q.store().cancel(blocks, {"ops", "test"}), Cancelled::requested);
  ASSERT_TRUE(called.wait());
  std::this_thread::sleep_for(3 * options.lease);
  EXPECT_EQ(row(id).fence, 1);
  EXPECT_EQ(state(id), JobState::running);
  EXPECT_FALSE(row(id).lease_expired);
  go_on->raise();
  held.raise();
  EXPECT_EQ(worker.stop().leases_lost, 0);
}

TEST_P(WorkerLease, a_suspect_runs_alone) {
  // Two attempts of the suspect are lost, so its third may be about to kill its process.
  const JobId suspect = enqueue("suspect", {.priority = 0});
  q.advance(-std::chrono::hours(1));
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(eventually([&] {
      q.advance(seconds(2));
      return q.claim({.worker = "dead", .kinds = {"suspect"}, .lease = milliseconds(1)}).size() ==
             1;
    }));
    q.advance(seconds(1));
    ASSERT_EQ(q.sweep(), 1);
  }
  q.connection().execute("update " + q.table("jobs") + " set run_at = 1 where kind = 'suspect'");

  std::atomic<int> running = 0;
  std::atomic<int> beside = -1;
  Handlers handlers;
  handlers.on("suspect", [&](Run&) {
    beside = running.load();
    std::this_thread::sleep_for(milliseconds(50));
    beside = std::max(beside.load(), running.load());
    return done();
  });
  handlers.on("k", [&](Run&) {
    ++running;
    std::this_thread::sleep_for(milliseconds(5));
    --running;
    return done();
  });
  for (int i = 0; i < 50; ++i) (void)enqueue("k");
  WorkerOptions options = quick();
  options.queues = {{"default", {.threads = 4}}};
  RunningWorker worker(q.store(), handlers, options);
  ASSERT_TRUE(reaches(suspect, JobState::succeeded));
  EXPECT_EQ(beside, 0);
}

}  // namespace
}  // namespace holdfast::test
