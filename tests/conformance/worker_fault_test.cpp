#include <string>

#include "conformance/worker_test.hpp"
#include "holdfast/error.hpp"
#include "support/thrown.hpp"

namespace holdfast::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// A worker goes on after every fault of its database; what ended is written in the end.
class WorkerFault : public WorkerTest {
 protected:
  WorkerFault() {
    handlers.on("k", [&](Run&) {
      ++starts;
      return done();
    });
  }
  /// Enqueues, lets something go wrong, and waits until every job succeeded all the same.
  void run_jobs(
      int jobs, const std::function<void()>& go_wrong = [] {}) {
    std::vector<JobId> ids;
    for (int i = 0; i < jobs; ++i) ids.push_back(enqueue_now("k"));
    go_wrong();
    worker->worker().wake();
    for (const JobId id : ids) EXPECT_TRUE(survives(id));
    q.faults().heal();
  }

  [[nodiscard]] JobId enqueue_now(const std::string& kind) {
    return q.enqueue(kind, {.run_at = Time(seconds(1))}).id;
  }

  /// The faults hit this connection as well.
  [[nodiscard]] bool survives(JobId id) {
    return eventually([&] {
      try {
        if (q.connection().broken()) q.connection().reconnect();
        return state(id) == JobState::succeeded;
      } catch (const Error&) {
        return false;
      }
    });
  }

  std::atomic<int> starts = 0;
  Handlers handlers;
  std::optional<RunningWorker> worker;
};
INSTANTIATE_TEST_SUITE_P(Everywhere, WorkerFault, faulty_backends, backend_name);

TEST_P(WorkerFault, a_statement_that_fails_now_and_then) {
  worker.emplace(q.store(), handlers);
  run_jobs(1);
  const bool sqlite = q.connection().dialect() == Dialect::sqlite;
  const char* settle = sqlite ? "settle_final_group" : "settle_final";
  for (const char* name : {settle, "delete_claim", "renew_claims", "read_house", "begin"}) {
    run_jobs(3, [&] { q.faults().add({.code = Code::storage, .only = name}); });
  }
  EXPECT_EQ(worker->stop().succeeded, 16);
}

TEST_P(WorkerFault, a_connection_that_ends_in_the_middle) {
  worker.emplace(q.store(), handlers);
  run_jobs(1);
  for (int call = 1; call <= 12; ++call) {
    run_jobs(2, [&] { q.faults().add({.call = call, .code = Code::disconnected}); });
  }
  EXPECT_GE(worker->stop().succeeded, 25);
}

TEST_P(WorkerFault, a_commit_whose_answer_is_lost_runs_nothing_twice) {
  worker.emplace(q.store(), handlers);
  run_jobs(1);
  for (const bool happens : {true, false}) {
    for (int commit = 1; commit <= 4; ++commit) {
      run_jobs(1, [&] { q.faults().lose_commit(commit, happens); });
    }
  }
  const WorkerReport report = worker->stop();
  EXPECT_EQ(report.started, 9);
  EXPECT_EQ(report.succeeded, 9);
  EXPECT_EQ(report.leases_lost, 0);
}

TEST_P(WorkerFault, a_database_that_is_away_for_a_while) {
  worker.emplace(q.store(), handlers);
  run_jobs(1);
  run_jobs(20, [&] {
    q.faults().go_away();
    std::this_thread::sleep_for(milliseconds(300));
    q.faults().heal();
  });
  EXPECT_EQ(worker->stop().succeeded, 21);
}

TEST_P(WorkerFault, leases_that_cannot_be_renewed_stop_their_handlers_in_time) {
  Signal started;
  Signal stopped;
  Handlers slow;
  slow.on("slow", [&](Run& run) {
    started.raise();
    wait_for(run.stop());
    stopped.raise();
    return retry("told to stop");
  });
  WorkerOptions options = quick();
  options.lease = seconds(1);
  const JobId id = enqueue_now("slow");
  q.faults().add({.code = Code::storage, .for_ever = true, .only = "renew_claims"});
  worker.emplace(q.store(), slow, options);
  ASSERT_TRUE(started.wait());
  const auto began = std::chrono::steady_clock::now();
  ASSERT_TRUE(stopped.wait());
  EXPECT_LT(std::chrono::steady_clock::now() - began, options.lease);
  q.faults().heal();
  EXPECT_NE(state(id), JobState::quarantined);
  worker->worker().hurry();
  (void)worker->stop();  // the next attempt may have begun, and uses what stands above
}

TEST_P(WorkerFault, a_done_in_in_doubt_is_not_made_a_success_by_a_done) {
  q.connection().execute("create table effects (job bigint not null)");
  Handlers effects;
  std::atomic<int> tries = 0;
  effects
      .on("effect",
          [&](Run& run) {
            const bool first = ++tries == 1;
            try {
              (void)run.done_in([&](Session& tx) {
                tx.execute("insert into effects (job) values ($1)", {run.job().id});
                if (!first) return;
                q.faults().lose_commit(1, false);
                for (const char* look : {"lock_job", "find_lease"}) {
                  q.faults().add({.code = Code::disconnected, .for_ever = true, .only = look});
                }
              });
            } catch (const Error& error) {
              EXPECT_EQ(error.code(), Code::in_doubt);
              q.faults().heal();
            }
            return done();
          })
      .retry(
          {.base = milliseconds(10), .exponent = 1, .cap = milliseconds(100), .max_attempts = 9});
  const JobId id = enqueue_now("effect");
  WorkerOptions quiet = quick();  // nobody else commits while the handler does
  quiet.poll = seconds(1);
  quiet.maintenance = seconds(1);
  worker.emplace(q.store(), effects, quiet);
  EXPECT_TRUE(survives(id));
  EXPECT_EQ(q.number("select count(*) from effects"), 1);
  EXPECT_EQ(tries, 2);
}

TEST_P(WorkerFault, an_enqueue_whose_commit_nobody_can_ask_about_is_in_doubt) {
  (void)q.store().enqueue(NewJob{"k", "{}", {}});
  for (const bool happens : {true, false}) {
    q.faults().lose_commit(1, happens);
    q.faults().add({.code = Code::disconnected, .for_ever = true, .only = "find_live"});
    EXPECT_EQ(code_thrown_by([&] {
                (void)q.store().enqueue(NewJob{"k", "{}", {}});
              }),
              Code::in_doubt);
    q.faults().heal();
  }
}

// Case 20: two threads write meanwhile, the claiming one and maintenance.
TEST_P(WorkerFault, a_full_disk_is_tried_once_a_second_and_told_once_and_work_goes_on_after_it) {
  std::atomic<int> told = 0;
  WorkerOptions options = quick();
  options.log = [&](LogLevel, std::string_view text) {
    if (text.find("storage_full") != std::string_view::npos) ++told;
  };
  const JobId id = enqueue_now("k");
  q.faults().add({.code = Code::storage_full, .for_ever = true, .only = "begin"});
  const auto began = std::chrono::steady_clock::now();
  worker.emplace(q.store(), handlers, options);
  ASSERT_TRUE(eventually([&] { return q.faults().struck() >= 5; }));
  EXPECT_GE(std::chrono::steady_clock::now() - began, milliseconds(1500));
  EXPECT_LE(told, 2);
  EXPECT_EQ(starts, 0);
  q.faults().heal();
  const auto freed = std::chrono::steady_clock::now();
  EXPECT_TRUE(reaches(id, JobState::succeeded));
  EXPECT_LT(std::chrono::steady_clock::now() - freed, seconds(5));
}

TEST_P(WorkerFault, an_unusable_database_ends_the_worker_with_its_error) {
  worker.emplace(q.store(), handlers);
  run_jobs(1);
  q.faults().add({.code = Code::corrupt, .for_ever = true});
  EXPECT_EQ(code_thrown_by([&] { (void)worker->report(); }), Code::corrupt);
}

}  // namespace
}  // namespace holdfast::test
