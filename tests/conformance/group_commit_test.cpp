// Threads that enqueue at the same moment share a transaction, and nothing else.

#include <atomic>
#include <latch>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "conformance/queue_test.hpp"
#include "conformance/refused_row.hpp"
#include "holdfast/error.hpp"
#include "support/thrown.hpp"

namespace holdfast::test {
namespace {

class GroupCommit : public QueueTest {
 protected:
  static constexpr int threads = 16;
  static constexpr int jobs_each = 25;

  /// Each thread enqueues jobs of its own, all at once.
  template <class Enqueue>
  void from_many_threads(Enqueue enqueue) {
    std::latch start(threads);
    std::vector<std::jthread> running;
    for (int thread = 0; thread < threads; ++thread) {
      running.emplace_back([&, thread] {
        start.arrive_and_wait();
        for (int i = 0; i < jobs_each; ++i) enqueue(thread * jobs_each + i);
      });
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Everywhere, GroupCommit,
                         ::testing::Values(Backend::memory, Backend::file, Backend::postgres),
                         backend_name);

TEST_P(GroupCommit, everybody_is_answered_with_the_id_of_his_own_job) {
  std::vector<JobId> ids(threads * jobs_each);
  from_many_threads([&](int i) {
    ids.at(static_cast<std::size_t>(i)) = q.store().enqueue(NewJob{"k", std::to_string(i), {}}).id;
  });
  EXPECT_EQ(std::set<JobId>(ids.begin(), ids.end()).size(), ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    EXPECT_EQ(q.find(ids[i])->payload, std::to_string(i));
  }
}

TEST_P(GroupCommit, a_refused_row_is_the_error_of_its_own_thread_alone) {
  refuse_payload(q, "jobs", "bad");
  std::atomic<int> refused = 0;
  std::atomic<int> written = 0;
  from_many_threads([&](int i) {
    const bool bad = i % 5 == 0;
    try {
      (void)q.store().enqueue(NewJob{"k", bad ? "bad" : "good", {}});
      ++written;
      EXPECT_FALSE(bad);
    } catch (const Error& error) {
      ++refused;
      EXPECT_TRUE(bad) << error.what();
    }
  });
  EXPECT_EQ(refused, threads * jobs_each / 5);
  EXPECT_EQ(q.number("select count(*) from " + q.table("jobs")), written);
}

TEST_P(GroupCommit, one_key_of_many_threads_is_one_job) {
  std::atomic<int> created = 0;
  from_many_threads([&](int i) {
    NewJob job{"k", "{}", {}};
    job.options.unique_key = "key " + std::to_string(i % jobs_each);
    if (q.store().enqueue(job).what == Enqueued::What::created) ++created;
  });
  EXPECT_EQ(created, jobs_each);
  EXPECT_EQ(q.number("select count(*) from " + q.table("jobs")), jobs_each);
}

}  // namespace
}  // namespace holdfast::test
