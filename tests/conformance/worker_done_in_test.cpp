#include <atomic>
#include <string>

#include "conformance/worker_test.hpp"
#include "holdfast/error.hpp"
#include "support/thrown.hpp"

namespace holdfast::test {
namespace {

using std::chrono::milliseconds;

class WorkerDoneIn : public WorkerTest {
 protected:
  void SetUp() override { q.connection().execute("create table effects (job bigint)"); }
  [[nodiscard]] std::int64_t effects() { return q.number("select count(*) from effects"); }

  static auto write_effect(JobId id) {
    return [id](Session& session) {
      session.execute("insert into effects values ($1)", {std::int64_t{id}});
    };
  }
};
INSTANTIATE_TEST_SUITE_P(Everywhere, WorkerDoneIn, healthy_backends, backend_name);

TEST_P(WorkerDoneIn, commits_the_effect_with_the_end_of_the_job) {
  std::atomic<Settled> answer = Settled::lease_lost;
  std::atomic<Settled> second = Settled::lease_lost;
  Handlers handlers;
  handlers.on("k", [&](Run& run) {
    answer = run.done_in(write_effect(run.job().id));
    second = run.done_in(write_effect(run.job().id));
    return done();
  });
  const JobId id = enqueue("k");
  RunningWorker worker(q.store(), handlers);
  ASSERT_TRUE(reaches(id, JobState::succeeded));
  EXPECT_EQ(worker.stop().succeeded, 1);
  EXPECT_EQ(answer, Settled::settled);
  EXPECT_EQ(second, Settled::already_settled);
  EXPECT_EQ(effects(), 1);
  EXPECT_EQ(q.number("select count(*) from " + q.table("claims")), 0);
}

TEST_P(WorkerDoneIn, an_effect_that_throws_is_rolled_back_and_the_attempt_fails) {
  Handlers handlers;
  handlers.on("k", [&](Run& run) {
    (void)run.done_in([&](Session& session) {
      write_effect(run.job().id)(session);
      throw std::runtime_error("out of stock");
    });
    return done();
  });
  const JobId id = enqueue("k", {.max_attempts = 1});
  RunningWorker worker(q.store(), handlers);
  ASSERT_TRUE(reaches(id, JobState::quarantined));
  EXPECT_EQ(row(id).last_error, "out of stock");
  EXPECT_EQ(effects(), 0);
}

TEST_P(WorkerDoneIn, a_lost_lease_rolls_the_effect_back) {
  Signal started;
  Signal go_on;
  std::atomic<Settled> answer = Settled::settled;
  Handlers handlers;
  handlers.on("k", [&](Run& run) {
    if (run.attempt() > 1) return snooze(std::chrono::hours(1));
    started.raise();
    (void)go_on.wait();
    answer = run.done_in(write_effect(run.job().id));
    return done();
  });
  const JobId id = enqueue("k");
  WorkerOptions options = quick();
  options.queues = {{"default", {.threads = 2}}};
  RunningWorker worker(q.store(), handlers, options);
  ASSERT_TRUE(started.wait());
  q.connection().execute("update " + q.table("claims") + " set lost_at = 1, lease_until = 1");
  ASSERT_TRUE(eventually([&] { return row(id).fence > 1 || !row(id).claim_id; }));
  go_on.raise();
  const WorkerReport report = worker.stop();
  EXPECT_EQ(answer, Settled::lease_lost);
  EXPECT_GE(report.leases_lost, 1);
  EXPECT_EQ(effects(), 0);
}

/// In memory even readers wait for a writer.
class WorkerDoneInWaits : public WorkerDoneIn {};
INSTANTIATE_TEST_SUITE_P(Everywhere, WorkerDoneInWaits,
                         ::testing::Values(Backend::file, Backend::postgres), backend_name);

TEST_P(WorkerDoneInWaits, an_effect_that_would_wait_for_itself_is_told_so_at_once) {
  const bool waits = q.connection().dialect() == Dialect::sqlite;  // PostgreSQL has no such lock
  std::atomic<bool> told = false;
  Handlers handlers;
  handlers.on("k", [&](Run& run) {
    told = code_thrown_by([&] {
             (void)run.done_in([&](Session&) { (void)q.store().enqueue(NewJob{"x", "{}", {}}); });
           }) == Code::misuse;
    return done();
  });
  const JobId id = enqueue("k");
  RunningWorker worker(q.store(), handlers);
  ASSERT_TRUE(reaches(id, JobState::succeeded));
  EXPECT_EQ(told, waits);
}

TEST_P(WorkerDoneIn, many_handlers_share_few_connections) {
  Handlers handlers;
  handlers.on("k", [&](Run& run) {
    return run.done_in(write_effect(run.job().id)) == Settled::settled ? done() : retry("lost");
  });
  const std::vector<NewJob> jobs(100, NewJob{.kind = "k"});
  (void)q.store().enqueue(jobs);
  WorkerOptions options = quick();
  options.queues = {{"default", {.threads = 8}}};
  options.connections_max = 5;
  options.drain = true;
  RunningWorker worker(q.store(), handlers, options);
  EXPECT_EQ(worker.report().succeeded, 100);
  EXPECT_EQ(effects(), 100);
}

}  // namespace
}  // namespace holdfast::test
