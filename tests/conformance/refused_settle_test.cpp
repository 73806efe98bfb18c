// One end that the database refuses keeps no other end from being written.

#include "conformance/refused_row.hpp"
#include "conformance/worker_test.hpp"

namespace holdfast::test {
namespace {

class RefusedSettle : public WorkerTest {};
INSTANTIATE_TEST_SUITE_P(Everywhere, RefusedSettle, healthy_backends, backend_name);

TEST_P(RefusedSettle, is_alone_with_its_trouble_and_ends_when_that_is_over) {
  refuse_payload(q, "history", "bad");
  std::vector<JobId> good;
  const JobId bad = enqueue("k", {}, "bad");
  for (int i = 0; i < 100; ++i) good.push_back(enqueue("k", {}, "good"));
  std::atomic<int> bad_starts = 0;
  Handlers handlers;
  handlers.on("k", [&](Run& run) {
    if (run.job().payload == "bad") ++bad_starts;
    return done();
  });
  RunningWorker worker(q.store(), handlers);

  for (const JobId id : good) EXPECT_TRUE(reaches(id, JobState::succeeded));
  EXPECT_EQ(state(bad), JobState::running);
  refuse_no_more(q, "history");

  EXPECT_TRUE(reaches(bad, JobState::succeeded));
  EXPECT_EQ(bad_starts, 1);
  EXPECT_EQ(worker.stop().succeeded, 101);
}

}  // namespace
}  // namespace holdfast::test
