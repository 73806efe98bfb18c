#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "crash/append_log.hpp"
#include "crash/both_databases.hpp"
#include "crash/child.hpp"
#include "support/campaign.hpp"

namespace holdfast::test {
namespace {

constexpr int crowd = 50;

/// A process with many handlers that return at the very instant at which it is told to stop.
class Leaving : public OnBothDatabases {
 protected:
  std::int64_t count(const std::string& table, const std::string& condition = "1 = 1") {
    return application().number("select count(*) from " + application().queue(table) + " where " +
                                condition);
  }

  void let_one_leave(const std::string& way, int round) {
    (void)open_store(database()).enqueue(std::vector<NewJob>(crowd, NewJob{.kind = "meet"}));
    AgentOptions options = worker(way + "." + std::to_string(round));
    options.role = "leave";
    options.way = way;
    options.threads = crowd;
    Child leaver(options);
    EXPECT_EQ(leaver.wait(), 0) << options.name;
  }

  /// What the process acknowledged is done; what is not done is ready again and not blamed.
  void check(const std::string& way, int so_far) {
    EXPECT_EQ(count("history") + count("jobs"), so_far) << way;
    EXPECT_EQ(count("jobs", "claim_id is not null or attempt <> 0"), 0) << way;
    EXPECT_EQ(count("claims"), 0) << way;
    if (way != "sigint_twice") {
      EXPECT_EQ(count("jobs"), 0) << way;
    }
    std::set<std::string> done;
    for (const auto& row : application().rows("select id from " + application().queue("history") +
                                              " where state = 'succeeded'")) {
      done.insert(row.at(0));
    }
    for (const auto& answer : read_log(log(answer_log))) {
      EXPECT_TRUE(answer.at(2) != "settled" || done.contains(answer.at(1))) << answer.at(1);
    }
    EXPECT_EQ(application().number("select count(*) from effects"),
              count("history", "id % 2 = 1 and state = 'succeeded'"));
  }

  /// What was handed back would meet with the next round's.
  void cancel_the_rest() {
    for (const auto& row : application().rows("select id from " + application().queue("jobs"))) {
      (void)open_store(database()).cancel(std::stoll(row.at(0)), {"test", "handed back"});
    }
  }
};
INSTANTIATE_TEST_SUITE_P(, Leaving, testing::ValuesIn(databases()), name_of);

// Case 11.
TEST_P(Leaving, loses_no_result_in_whichever_way) {
  int rounds_so_far = 0;
  for (int round = 0; round < rounds(2, 100); ++round) {
    for (const char* way : {"stop", "destructor", "exception", "sigterm", "sigint_twice"}) {
      let_one_leave(way, round);
      ++rounds_so_far;
      check(way, rounds_so_far * crowd);
      if (HasFailure()) return;
      cancel_the_rest();
    }
  }
}

}  // namespace
}  // namespace holdfast::test
