// One end that the database refuses keeps no other end from being written.

#include "conformance/worker_test.hpp"

namespace holdfast::test {
namespace {

class RefusedSettle : public WorkerTest {
 protected:
  /// As a trigger of the application's own might.
  void refuse_history_of(const std::string& payload) {
    const std::string history = q.table("history");
    if (q.connection().dialect() == Dialect::sqlite) {
      q.connection().execute("create trigger refuse before insert on " + history +
                             " when new.payload = '" + payload +
                             "' begin select raise(abort, 'refused'); end");
      return;
    }
    q.connection().execute(
        "create function refuse() returns trigger language plpgsql as $$ begin"
        " if new.payload = '" +
        payload + "' then raise exception 'refused'; end if; return new; end $$");
    q.connection().execute("create trigger refuse before insert on " + history +
                           " for each row execute function refuse()");
  }

  void refuse_no_more() {
    const bool sqlite = q.connection().dialect() == Dialect::sqlite;
    q.connection().execute(sqlite ? "drop trigger refuse"
                                  : "drop trigger refuse on " + q.table("history"));
  }
};
INSTANTIATE_TEST_SUITE_P(Everywhere, RefusedSettle, healthy_backends, backend_name);

TEST_P(RefusedSettle, is_alone_with_its_trouble_and_ends_when_that_is_over) {
  refuse_history_of("bad");
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
  refuse_no_more();

  EXPECT_TRUE(reaches(bad, JobState::succeeded));
  EXPECT_EQ(bad_starts, 1);
  EXPECT_EQ(worker.stop().succeeded, 101);
}

}  // namespace
}  // namespace holdfast::test
