#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>

#include "crash/append_log.hpp"
#include "crash/both_databases.hpp"
#include "crash/child.hpp"

namespace holdfast::test {
namespace {

using testing::Contains;
using testing::ElementsAre;

class StaleWorker : public OnBothDatabases {
 protected:
  /// Everything that is known about jobs, row by row.
  Application::Rows dump() {
    Application::Rows all;
    for (const char* table : {"jobs", "history", "attempts", "quarantine"}) {
      for (auto row :
           application().rows("select * from " + application().queue(table) + " order by 1, 2")) {
        row.insert(row.begin(), table);
        all.push_back(std::move(row));
      }
    }
    for (auto row : application().rows("select * from effects order by 1, 2, 3")) {
      row.insert(row.begin(), "effects");
      all.push_back(std::move(row));
    }
    return all;
  }

  /// Stops it where it holds no write lock, which on SQLite would keep everybody else waiting.
  void pause_between_writes(Child& worker) {
    const auto set_busy_timeout = [&](const std::string& ms) {
      if (GetParam() == Dialect::sqlite) application().rows("pragma busy_timeout = " + ms);
    };
    const auto free = [&] {
      worker.pause();
      try {
        set_busy_timeout("100");
        application().begin();
        application().rollback();
        return true;
      } catch (const std::exception&) {
        worker.signal(SIGCONT);
        return false;
      }
    };
    ASSERT_TRUE(eventually(free));
    set_busy_timeout("30000");
  }

  [[nodiscard]] bool started_by(const std::string& name) const {
    const auto starts = read_log(log(start_log));
    return std::any_of(starts.begin(), starts.end(),
                       [&](const auto& start) { return start.at(3) == name; });
  }

  bool finished(JobId job) {
    return application().number("select count(*) from " + application().queue("history") +
                                " where id = " + std::to_string(job)) == 1;
  }

  /// A worker stands still past its lease while its handler is about to finish; another one takes
  /// over and finishes; then the first goes on. Returns the tables before and after that.
  std::pair<Application::Rows, Application::Rows> wake_the_stale_worker(const std::string& kind) {
    const JobId job = open_store(database()).enqueue(NewJob{kind, "order", {}}).id;
    Child stale(worker("stale"));
    EXPECT_TRUE(eventually([&] { return started_by("stale"); }));
    pause_between_writes(stale);
    Child fresh(worker("fresh"));
    EXPECT_TRUE(eventually([&] { return finished(job); })) << "nobody took over";
    fresh.signal(SIGTERM);
    EXPECT_EQ(fresh.wait(), 0);

    const auto before = dump();
    AppendLog(log(go_file(1))).append("go");
    stale.signal(SIGCONT);
    if (kind == "hold_then_effect") {
      EXPECT_TRUE(eventually([&] { return !read_log(log(answer_log)).empty(); }));
    }
    stale.signal(SIGTERM);
    EXPECT_EQ(stale.wait(), 0);
    return {before, dump()};
  }
};

INSTANTIATE_TEST_SUITE_P(, StaleWorker, testing::ValuesIn(databases()), name_of);

TEST_P(StaleWorker, changes_no_row_after_sigcont) {
  const auto [before, after] = wake_the_stale_worker("hold_then_effect");
  EXPECT_EQ(before, after);
  EXPECT_EQ(application().number("select count(*) from effects where worker = 'fresh'"), 1);
  EXPECT_EQ(application().number("select count(*) from effects"), 1);
  EXPECT_THAT(read_log(log(answer_log)), Contains(ElementsAre("stale", "1", "lease_lost")));
}

TEST_P(StaleWorker, changes_no_row_while_another_runs_the_job) {
  open_store(database()).enqueue(NewJob{"hold_each_then_effect", "order", {}});
  Child stale(worker("stale"));
  ASSERT_TRUE(eventually([&] { return started_by("stale"); }));
  pause_between_writes(stale);
  Child fresh(worker("fresh"));
  ASSERT_TRUE(eventually([&] { return started_by("fresh"); })) << "nobody took over";

  const auto before = dump();
  AppendLog(log(go_file(1))).append("go");
  stale.signal(SIGCONT);
  ASSERT_TRUE(eventually([&] { return !read_log(log(answer_log)).empty(); }));
  stale.signal(SIGTERM);
  EXPECT_EQ(stale.wait(), 0);
  EXPECT_EQ(before, dump());

  AppendLog(log(go_file(2))).append("go");
  ASSERT_TRUE(eventually([&] { return finished(1); }));
  // The commit is seen before the worker that made it has noted its answer.
  ASSERT_TRUE(eventually([&] { return read_log(log(answer_log)).size() >= 2; }));
  EXPECT_THAT(read_log(log(answer_log)), ElementsAre(ElementsAre("stale", "1", "lease_lost"),
                                                     ElementsAre("fresh", "1", "settled")));
  EXPECT_EQ(application().rows("select fence, worker from effects"),
            (Application::Rows{{"2", "fresh"}}));
}

TEST_P(StaleWorker, changes_no_row_with_a_late_result_either) {
  const auto [before, after] = wake_the_stale_worker("hold_then_done");
  EXPECT_EQ(before, after);
  EXPECT_THAT(read_log(log(report_log)), Contains(ElementsAre("stale", "1", "0")))
      << "the late worker must report one lost lease";
}

}  // namespace
}  // namespace holdfast::test
