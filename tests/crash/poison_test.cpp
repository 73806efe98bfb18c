#include <algorithm>
#include <string>

#include "crash/cli_fixture.hpp"

/// A job that kills its worker, in front of innocent neighbours. A supervisor starts workers again.
namespace holdfast::test {
namespace {

class Poison : public CliTest {
 protected:
  [[nodiscard]] long lines(const std::string& name) const {
    const std::string text = content_of(path(name));
    return std::count(text.begin(), text.end(), '\n');
  }
};

TEST_F(Poison, ends_in_quarantine_after_its_attempts_and_its_neighbours_succeed) {
  const std::string poison = enqueue({"poison", "--max-attempts", "3"});
  for (int i = 0; i < 20; ++i) enqueue({"innocent", "--max-attempts", "3"});
  int crashes = 0;
  for (int start = 0; start < 12; ++start) {
    Program worker(
        on_queue({"work", "--drain", "--threads", "4", "--lease", "500ms", "--exec",
                  "poison=echo $HOLDFAST_ATTEMPT >> " + path("starts") + "; kill -9 $PPID",
                  "--exec", "innocent=echo $HOLDFAST_JOB_ID >> " + path("done") + "; sleep 0.05"}));
    if (worker.wait().code == 0) break;
    ++crashes;
  }
  EXPECT_EQ(crashes, 3);
  EXPECT_EQ(content_of(path("starts")), "1\n2\n3\n");
  const Json job = show(poison);
  EXPECT_EQ(job["state"], "quarantined");
  EXPECT_EQ(job["last_failure"], "lost");
  EXPECT_NE(job["last_error"].get<std::string>().find("worker died"), std::string::npos);
  EXPECT_EQ(jobs({"--state", "succeeded"}).size(), 20u);
  EXPECT_GE(lines("done"), 20);
}

TEST_F(Poison, many_graceful_restarts_blame_nobody) {
  const std::string id = enqueue({"slow", "--max-attempts", "2"});
  for (int restart = 0; restart < 6; ++restart) {
    write_file(path("up"), "");
    Program worker(on_queue({"work", "--lease", "1s", "--grace", "0s", "--exec",
                             "slow=echo up > " + path("up") + "; sleep 60"}));
    (void)wait_for_content(path("up"));
    worker.signal(SIGTERM);
    worker.signal(SIGTERM);
    EXPECT_EQ(worker.wait().code, 0);
    EXPECT_EQ(show(id)["state"], "ready");
    EXPECT_EQ(show(id)["attempt"], 0);
  }
}

}  // namespace
}  // namespace holdfast::test
