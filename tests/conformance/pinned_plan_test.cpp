// The connection that claims tells its planner to walk indexes only. Nobody else is to notice.

#include "conformance/worker_test.hpp"

namespace holdfast::test {
namespace {

std::string setting(Session& session, std::string_view name) {
  std::string value;
  session.execute("select current_setting($1)", {name},
                  [&](const Row& row) { value = row.text(0); });
  return value;
}

class PinnedPlans : public WorkerTest {
 protected:
  [[nodiscard]] std::unique_ptr<db::Connection> connect(db::Lane lane) {
    return q.store().state()->database().connect(lane);
  }
};
INSTANTIATE_TEST_SUITE_P(Everywhere, PinnedPlans, ::testing::Values(Backend::postgres),
                         backend_name);

TEST_P(PinnedPlans, are_those_of_the_connection_that_claims_alone) {
  EXPECT_EQ(setting(*connect(db::Lane::claims), "enable_seqscan"), "off");
  EXPECT_EQ(setting(*connect(db::Lane::claims), "jit"), "off");
  EXPECT_EQ(setting(*connect(db::Lane::normal), "enable_seqscan"), "on");
  EXPECT_EQ(setting(*connect(db::Lane::keeper), "plan_cache_mode"), "auto");
}

TEST_P(PinnedPlans, are_over_for_a_hook_of_the_application) {
  const std::string usual = setting(q.connection(), "jit");
  std::string seen;
  Handlers handlers;
  handlers.on("k", [](Run&) { return done(); }).on_success([&](Session& tx, const JobRow&) {
    seen = setting(tx, "enable_seqscan") + " " + setting(tx, "plan_cache_mode") + " " +
           setting(tx, "jit");
  });
  const JobId id = enqueue("k");
  RunningWorker worker(q.store(), handlers);
  ASSERT_TRUE(reaches(id, JobState::succeeded));
  EXPECT_EQ(worker.stop().succeeded, 1);
  EXPECT_EQ(seen, "on auto " + usual);
}

}  // namespace
}  // namespace holdfast::test
