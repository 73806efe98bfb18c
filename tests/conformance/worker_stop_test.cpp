#include <barrier>
#include <string>
#include <vector>

#include "conformance/worker_test.hpp"
#include "support/campaign.hpp"

namespace holdfast::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class WorkerStop : public WorkerTest {};
INSTANTIATE_TEST_SUITE_P(Everywhere, WorkerStop, healthy_backends, backend_name);

TEST_P(WorkerStop, waits_for_running_handlers_and_writes_their_results) {
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
  worker.request_stop();
  const JobId unseen = enqueue("k");
  std::this_thread::sleep_for(milliseconds(900));  // longer than a lease: it is renewed meanwhile
  EXPECT_EQ(state(id), JobState::running);
  go_on.raise();
  const WorkerReport report = worker.report();
  EXPECT_EQ(report.started, 1);
  EXPECT_EQ(report.succeeded, 1);
  EXPECT_EQ(row(id).fence, 1);
  EXPECT_EQ(state(unseen), JobState::ready);
  EXPECT_EQ(row(unseen).attempt, 0);
}

TEST_P(WorkerStop, hurried_releases_what_does_not_return_without_blame) {
  const auto started = std::make_shared<Signal>();
  const auto go_on = std::make_shared<Signal>();
  const auto returned = std::make_shared<Signal>();
  Handlers handlers;
  handlers.on("k", [started, go_on, returned](Run&) {
    started->raise();
    (void)go_on->wait();
    returned->raise();
    return done();
  });
  const JobId id = enqueue("k");
  {
    RunningWorker worker(q.store(), handlers);
    ASSERT_TRUE(started->wait());
    worker.request_stop();
    worker.worker().hurry();
    const WorkerReport report = worker.report();
    EXPECT_EQ(report.abandoned, std::vector<JobId>{id});
    EXPECT_EQ(report.released, 1);
  }
  EXPECT_EQ(state(id), JobState::ready);
  EXPECT_EQ(row(id).attempt, 0);
  go_on->raise();
  ASSERT_TRUE(returned->wait());
}

TEST_P(WorkerStop, a_handler_that_obeys_the_stop_token_is_not_blamed) {
  Signal started;
  Handlers handlers;
  handlers.on("k", [&](Run& run) -> Outcome {
    started.raise();
    wait_for(run.stop());
    throw std::runtime_error("interrupted");
  });
  const JobId id = enqueue("k", {.max_attempts = 1});
  WorkerOptions options = quick();
  options.grace = milliseconds(20);
  options.stop_grace = patience;
  RunningWorker worker(q.store(), handlers, options);
  ASSERT_TRUE(started.wait());
  const WorkerReport report = worker.stop();
  EXPECT_EQ(report.released, 1);
  EXPECT_TRUE(report.abandoned.empty());
  EXPECT_EQ(state(id), JobState::ready);
  EXPECT_EQ(row(id).attempt, 0);
}

TEST_P(WorkerStop, buffered_jobs_go_back_at_once_and_keep_their_budget) {
  Signal started;
  Signal go_on;
  Handlers handlers;
  handlers.on("k", [&](Run&) {
    started.raise();
    (void)go_on.wait();
    return done();
  });
  for (int i = 0; i < 10; ++i) (void)enqueue("k");
  RunningWorker worker(q.store(), handlers);
  ASSERT_TRUE(started.wait());
  worker.request_stop();
  Handlers others;
  others.on("k", [](Run&) { return done(); });
  {
    RunningWorker other(q.store(), others);  // while the first still waits for its handler
    EXPECT_TRUE(
        eventually([&] { return q.number("select count(*) from " + q.table("history")) == 9; }));
  }
  go_on.raise();
  EXPECT_EQ(worker.report().succeeded, 1);
  EXPECT_EQ(q.number("select max(attempt) from " + q.table("history")), 1);
}

TEST_P(WorkerStop, a_deferred_attempt_is_waited_for) {
  Signal started;
  std::vector<Deferred> handles;
  Handlers handlers;
  handlers.on("k", [&](Run& run) {
    handles.push_back(run.defer());
    started.raise();
    return deferred();
  });
  const JobId id = enqueue("k");
  RunningWorker worker(q.store(), handlers);
  ASSERT_TRUE(started.wait());
  worker.request_stop();
  std::jthread answer([&] { handles.front().settle(done()); });
  EXPECT_EQ(worker.report().succeeded, 1);
  EXPECT_EQ(state(id), JobState::succeeded);
}

TEST_P(WorkerStop, the_destructor_stops_as_well) {
  Signal started;
  Handlers handlers;
  handlers.on("k", [&](Run&) {
    started.raise();
    return done();
  });
  const JobId id = enqueue("k");
  std::jthread pool;
  {
    Worker worker(q.store(), handlers, quick());
    Signal entered;
    pool = std::jthread([&](stop_token stop) { (void)worker.run(stop); });
    ASSERT_TRUE(started.wait());
  }
  EXPECT_EQ(state(id), JobState::succeeded);
}

// The watchdog gives up on a handler in the very moment in which the worker waits for its threads.
TEST_P(WorkerStop, at_the_instant_at_which_a_handler_is_given_up_on_ends_all_the_same) {
  for (int round = 0; round < rounds(10, 200); ++round) {
    const auto go_on = std::make_shared<Signal>();
    const auto returned = std::make_shared<Signal>();
    Signal started;
    Handlers handlers;
    handlers.on("k", [&started, go_on, returned](Run&) {
      started.raise();
      (void)go_on->wait();
      returned->raise();
      return done();
    });
    WorkerOptions options = quick();
    options.timeout_grace = milliseconds(20);
    (void)enqueue("k", {.max_attempts = 1, .timeout = milliseconds(20)});
    {
      RunningWorker worker(q.store(), handlers, options);
      ASSERT_TRUE(started.wait());
      std::this_thread::sleep_for(milliseconds(38 + round % 5));
      EXPECT_EQ(worker.stop().abandoned.size(), 1U);
    }
    go_on->raise();
    ASSERT_TRUE(returned->wait());
  }
}

// Many handlers return at the very moment of the stop.
TEST_P(WorkerStop, loses_no_result_that_comes_at_the_same_instant) {
  constexpr int crowd = 50;
  for (int round = 0; round < rounds(20, 500); ++round) {
    std::barrier<> meet(crowd + 1);
    Handlers handlers;
    handlers.on("k", [&](Run&) {
      meet.arrive_and_wait();
      return done();
    });
    const std::vector<NewJob> jobs(crowd, NewJob{.kind = "k"});
    (void)q.store().enqueue(jobs);
    WorkerOptions options = quick();
    options.queues = {{"default", {.threads = crowd}}};
    RunningWorker worker(q.store(), handlers, options);
    meet.arrive_and_wait();
    EXPECT_EQ(worker.stop().succeeded, crowd);
    EXPECT_EQ(q.number("select count(*) from " + q.table("history")), (round + 1) * crowd);
  }
  EXPECT_EQ(q.number("select count(*) from " + q.table("jobs")), 0);
  EXPECT_EQ(q.number("select count(*) from " + q.table("claims")), 0);
}

}  // namespace
}  // namespace holdfast::test
