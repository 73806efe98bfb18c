#include <atomic>
#include <memory>
#include <string>

#include "conformance/worker_test.hpp"

/// Handlers that never come back and do not obey.
namespace holdfast::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

/// Outlives its worker, as the handlers that wait for it do.
struct Trap {
  Signal open;
  std::atomic<int> inside = 0;
};

class WorkerStuck : public WorkerTest {
 protected:
  WorkerStuck() {
    handlers.on("stuck", [trap = trap_](Run&) {
      ++trap->inside;
      (void)trap->open.wait();
      --trap->inside;
      return done();
    });
    handlers.on("k", [](Run&) { return done(); });
  }
  ~WorkerStuck() override {
    trap_->open.raise();
    EXPECT_TRUE(eventually([&] { return trap_->inside == 0; }));
  }

  void enqueue_stuck(int jobs) {
    for (int i = 0; i < jobs; ++i) {
      (void)enqueue("stuck", {.max_attempts = 1, .timeout = milliseconds(100)});
    }
  }
  [[nodiscard]] std::int64_t count(const std::string& table, const std::string& condition) {
    return q.number("select count(*) from " + q.table(table) + " where " + condition);
  }

  Handlers handlers;

 private:
  std::shared_ptr<Trap> trap_ = std::make_shared<Trap>();
};
INSTANTIATE_TEST_SUITE_P(Everywhere, WorkerStuck, healthy_backends, backend_name);

// Case 04.
TEST_P(WorkerStuck, handlers_are_given_up_on_counted_and_named_and_keep_no_other_job_waiting) {
  constexpr int stuck = 50;
  constexpr int normal = 200;
  enqueue_stuck(stuck);
  (void)q.store().enqueue(std::vector<NewJob>(normal, NewJob{.kind = "k"}));
  WorkerOptions options = quick();
  options.queues = {{"default", {.threads = 4}}};
  options.grace = seconds(2);
  RunningWorker worker(q.store(), handlers, options);
  ASSERT_TRUE(eventually([&] { return count("history", "state = 'succeeded'") == normal; }));
  ASSERT_TRUE(
      eventually([&] { return count("quarantine", "failure_class = 'timeout'") == stuck; }));
  EXPECT_EQ(count("attempts", "outcome = 'timeout'"), stuck);
  // Nothing ran longer than its limit, the grace and two leases.
  const auto limit = milliseconds(100) + options.timeout_grace + 2 * options.lease;
  EXPECT_EQ(count("attempts", "ended_at - started_at > " +
                                  std::to_string(std::chrono::microseconds(limit).count())),
            0);

  const auto told = steady_clock::now();
  const WorkerReport report = worker.stop();
  EXPECT_LT(steady_clock::now() - told, seconds(5));
  EXPECT_EQ(report.abandoned.size(), static_cast<std::size_t>(stuck));
}

TEST_P(WorkerStuck, threads_beyond_the_cap_are_not_replaced_and_their_jobs_end_all_the_same) {
  enqueue_stuck(3);
  WorkerOptions options = quick();
  options.queues = {{"default", {.threads = 3}}};
  options.abandoned_max = 2;
  Signal warned;
  options.log = [&](LogLevel level, std::string_view text) {
    if (level == LogLevel::error && text.find("abandoned_max") != std::string_view::npos) {
      warned.raise();
    }
  };
  RunningWorker worker(q.store(), handlers, options);
  ASSERT_TRUE(eventually([&] { return count("quarantine", "failure_class = 'timeout'") == 3; }));
  EXPECT_TRUE(warned.wait());
  const JobId normal = enqueue("k");
  EXPECT_TRUE(reaches(normal, JobState::succeeded));
  EXPECT_EQ(worker.stop().abandoned.size(), 3U);
}

}  // namespace
}  // namespace holdfast::test
