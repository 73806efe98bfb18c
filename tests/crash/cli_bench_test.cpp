#include <gmock/gmock.h>
#include <signal.h>

#include <filesystem>
#include <thread>

#include "crash/cli_fixture.hpp"
#include "support/postgres_server.hpp"

namespace holdfast::test {
namespace {

using std::chrono::seconds;
using std::chrono::steady_clock;

/// What anybody may rely on in the object of a database.
constexpr std::array keys{"enqueue_one_per_s",
                          "enqueue_batch_per_s",
                          "claim_settle_per_s",
                          "life_per_s",
                          "wake_p50_ms",
                          "wake_p99_ms",
                          "beside_drain_per_s",
                          "beside_write_p99_ms",
                          "enqueue_16_threads_per_s",
                          "enqueue_64_threads_per_s",
                          "claim_settle_batch_1_per_s",
                          "claim_settle_batch_32_per_s",
                          "claim_settle_batch_128_per_s",
                          "claim_settle_batch_500_per_s"};

class CliBench : public testing::Test {
 protected:
  [[nodiscard]] std::string here() const { return "sqlite:" + (directory_ / "none.db"); }
  [[nodiscard]] bool nothing_here() const { return std::filesystem::is_empty(directory_.path()); }

  static std::string url_of(const FreshPostgres& database) {
    return "postgres://postgres@/" + database.name() +
           "?host=" + shared_postgres().socket_directory() +
           "&port=" + std::to_string(shared_postgres().port());
  }

  static bool has_schema(const FreshPostgres& database) {
    try {
      shared_postgres().execute(
          "do $$ begin if exists (select from pg_namespace where nspname like 'holdfast%')"
          " then raise exception 'there is one'; end if; end $$",
          database.name());
      return false;
    } catch (const std::runtime_error&) {
      return true;
    }
  }

  /// Waits for what the program makes.
  template <class Condition>
  static bool becomes(Condition condition) {
    const auto end = steady_clock::now() + seconds(30);
    while (!condition()) {
      if (steady_clock::now() > end) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return true;
  }

  TemporaryDirectory directory_;
};

void expect_all_keys(const Json& figures) {
  for (const std::string key : keys) {
    ASSERT_TRUE(figures.contains(key)) << key;
    EXPECT_GT(figures[key].get<double>(), 0) << key;
    ASSERT_TRUE(figures.contains(key + "_floor_ratio")) << key;
    EXPECT_GT(figures[key + "_floor_ratio"].get<double>(), 0) << key;
  }
}

TEST_F(CliBench, prints_one_object_with_both_databases_and_leaves_nothing_behind) {
  const FreshPostgres database;
  const Finished finished = run_program({"bench", "--json", "--jobs", "20", "--runs", "1",
                                         "--database", here(), "--database", url_of(database)});

  ASSERT_EQ(finished.code, 0) << finished.err;
  EXPECT_EQ(std::count(finished.out.begin(), finished.out.end(), '\n'), 1);
  const Json answer = Json::parse(finished.out);
  expect_all_keys(answer.at("sqlite"));
  expect_all_keys(answer.at("postgres"));
  EXPECT_TRUE(answer.at("version").is_string());
  EXPECT_TRUE(nothing_here());
  EXPECT_FALSE(has_schema(database));
}

TEST_F(CliBench, answers_only_what_was_asked) {
  const Finished finished =
      run_program({"bench", "--json", "--jobs", "5", "--only", "enqueue", "--database", here()});

  ASSERT_EQ(finished.code, 0) << finished.err;
  EXPECT_TRUE(Json::parse(finished.out)["sqlite"].contains("enqueue_one_per_s"));
  EXPECT_FALSE(Json::parse(finished.out)["sqlite"].contains("life_per_s"));
}

TEST_F(CliBench, interrupted_on_a_file_it_leaves_nothing_behind) {
  Program program({"bench", "--database", here()});
  ASSERT_TRUE(becomes([&] { return !nothing_here(); }));
  program.signal(SIGINT);

  const Finished finished = program.wait();
  EXPECT_EQ(finished.code, 1);
  EXPECT_THAT(finished.err, testing::HasSubstr("interrupted"));
  EXPECT_TRUE(nothing_here());
}

TEST_F(CliBench, interrupted_on_a_server_it_leaves_nothing_behind) {
  const FreshPostgres database;
  Program program({"bench", "--database", url_of(database)});
  ASSERT_TRUE(becomes([&] { return has_schema(database); }));
  program.signal(SIGINT);

  EXPECT_EQ(program.wait().code, 1);
  EXPECT_FALSE(has_schema(database));
}

TEST_F(CliBench, refuses_nonsense_and_makes_nothing) {
  const std::vector<std::vector<std::string>> lines = {
      {"--jobs", "0"},        {"--jobs", "many"},
      {"--runs", "0"},        {"--only", "nonsense"},
      {"--only", "enqueue,"}, {"--namespace", "other"},
      {"--database", "file"}, {"surplus"}};
  for (std::vector<std::string> line : lines) {
    line.insert(line.begin(), {"--database", here(), "bench"});
    EXPECT_EQ(run_program(line).code, 2) << line.back();
    EXPECT_TRUE(nothing_here());
  }
}

TEST_F(CliBench, a_server_that_is_not_there_is_an_error_without_its_password) {
  const Finished finished =
      run_program({"bench", "--database", "postgres://u:hidden@127.0.0.1:1/d"});

  EXPECT_EQ(finished.code, 4);
  EXPECT_THAT(finished.err, testing::Not(testing::HasSubstr("hidden")));
}

}  // namespace
}  // namespace holdfast::test
