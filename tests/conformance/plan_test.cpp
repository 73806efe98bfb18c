// The hot statements are planned the same whatever the tables hold and whatever is known of them:
// empty, with a thousand jobs, with many, analyzed or not. The plans that are kept in
// tests/plans.*.txt are those that were read and found good.

#include <array>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "conformance/queue_test.hpp"
#include "support/campaign.hpp"

namespace holdfast::test {
namespace {

using store::Sql;

class HotPlans : public QueueTest {
 protected:
  HotPlans() : claiming_(q.store().state()->database().connect(db::Lane::claims)) {}

  [[nodiscard]] bool sqlite() const { return claiming_->dialect() == Dialect::sqlite; }

  void add_jobs(int count) {
    const std::vector<NewJob> jobs(static_cast<std::size_t>(count), NewJob{"k", "{}", {}});
    (void)q.store().enqueue(jobs);
  }

  void add_history() {
    for (const JobRow& job : q.claim({.limit = 100})) (void)q.settle(job, queue::Event::succeeded);
  }

  void analyze() {
    for (const char* table : {"jobs", "claims", "history"}) {
      q.connection().execute("analyze " + q.table(table));
    }
  }

  /// The plans of all hot statements, one after the other.
  [[nodiscard]] std::string plans() {
    std::string text;
    if (!sqlite()) run_each_once();
    for (const auto& [name, arguments] : hot()) {
      const Statement& statement = q.sql()[name];
      text += "-- " + std::string(statement.name) + "\n";
      if (sqlite()) {
        text += explained("explain query plan " + statement.sql, 3);
        if (!statement.then.empty()) text += explained("explain query plan " + statement.then, 3);
      } else {
        text += explained(
            "explain (costs off) execute " + std::string(statement.name) + " (" + arguments + ")",
            0);
      }
    }
    return text;
  }

 private:
  struct Hot {
    Sql name;
    std::string arguments;  ///< PostgreSQL
  };

  [[nodiscard]] std::vector<Hot> hot() const {
    if (sqlite()) {
      return {{Sql::pick_level, ""},  {Sql::take_jobs, ""},   {Sql::settle_final_group, ""},
              {Sql::next_group, ""},  {Sql::next_due, ""},    {Sql::lock_lease, ""},
              {Sql::insert_jobs, ""}, {Sql::delete_claim, ""}};
    }
    return {{Sql::claim, "'{0,0,0,0,0,0,0,0,0,0}', 'default', '', 1, '{k}', 10, 'w', 1"},
            {Sql::settle_final, "'{1}', '{1}', '{1}', '{1}', 'succeeded', 1, 'w', null"},
            {Sql::next_group, "'default', ''"},
            {Sql::next_due, "'{default}', 1, '{k}'"},
            {Sql::lock_lease, "1, 1, 1"},
            {Sql::delete_claim, "1, 'w'"}};
  }

  /// With parameters that find nothing: the connection prepares and keeps them then.
  void run_each_once() {
    const store::Access access{*claiming_, q.sql()};
    const std::int64_t none = 0;
    const RowSink drop = [](const Row&) {};
    access.run(Sql::claim,
               {"{0,0,0,0,0,0,0,0,0,0}", "none", "", none, "{k}", std::int64_t{1}, "w", none},
               drop);
    access.run(Sql::settle_final, {"{}", "{}", "{}", "{}", "succeeded", none, "w", null}, drop);
    access.run(Sql::next_group, {"none", ""}, drop);
    access.run(Sql::next_due, {"{none}", none, "{k}"}, drop);
    access.run(Sql::lock_lease, {none, none, none}, drop);
    access.run(Sql::delete_claim, {none, "w"}, drop);
  }

  [[nodiscard]] std::string explained(const std::string& query, int column) {
    std::string text;
    std::array<Value, 14> nothing{};
    const auto parameters = sqlite() ? parameters_of(query) : 0;
    claiming_->execute(query, Params(nothing).first(parameters), [&](const Row& row) {
      text += "   " + std::string(row.text(column)) + "\n";
    });
    return text;
  }

  /// The highest N of a `$N` in it.
  [[nodiscard]] static std::size_t parameters_of(const std::string& query) {
    std::size_t highest = 0;
    for (std::size_t number = 1; number <= 14; ++number) {
      if (query.find("$" + std::to_string(number)) != std::string::npos) highest = number;
    }
    return highest;
  }

  std::unique_ptr<db::Connection> claiming_;
};
INSTANTIATE_TEST_SUITE_P(Everywhere, HotPlans, ::testing::Values(Backend::file, Backend::postgres),
                         backend_name);

TEST_P(HotPlans, are_the_kept_ones_at_every_size_with_and_without_statistics) {
  const std::string path = std::string(HOLDFAST_SOURCE_DIR "/tests/plans.") +
                           (sqlite() ? "sqlite" : "postgres") + ".txt";
  if (std::getenv("HOLDFAST_WRITE_PLANS") != nullptr) std::ofstream(path) << plans();
  std::ostringstream kept;
  kept << std::ifstream(path).rdbuf();
  EXPECT_EQ(plans(), kept.str()) << "empty";
  add_jobs(1'000);
  add_history();
  EXPECT_EQ(plans(), kept.str()) << "1,000 jobs, no statistics";
  analyze();
  EXPECT_EQ(plans(), kept.str()) << "1,000 jobs, analyzed";
  for (int added = 0; added < rounds(2, 100); ++added) add_jobs(10'000);
  EXPECT_EQ(plans(), kept.str()) << "many jobs, statistics of few";
  analyze();
  EXPECT_EQ(plans(), kept.str()) << "many jobs, analyzed";
}

}  // namespace
}  // namespace holdfast::test
