#include <algorithm>
#include <filesystem>
#include <string>

#include "crash/application.hpp"
#include "crash/both_databases.hpp"
#include "crash/cli_fixture.hpp"
#include "support/postgres_server.hpp"

namespace holdfast::test {
namespace {

class CliError : public CliTest {
 protected:
  /// The answer of a command that must fail, on this database.
  static Finished refused(const std::string& database, std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--database", database});
    return run_program(std::move(arguments));
  }

  static bool says(const Finished& finished, std::string_view text) {
    return finished.err.find(text) != std::string::npos;
  }
};

TEST_F(CliError, names_a_missing_file_and_does_not_make_it) {
  const std::string missing = path("missing.db");
  for (const char* command : {"jobs", "stats", "migrate"}) {
    const Finished finished = refused("sqlite:" + missing, {command});
    EXPECT_EQ(finished.code, 5);
    EXPECT_EQ(finished.err, "holdfast: there is no file " + missing +
                                ": run `holdfast init` to make a queue there, or name another one "
                                "with --database\n");
    EXPECT_EQ(finished.out, "");
  }
  EXPECT_FALSE(std::filesystem::exists(missing));
}

TEST_F(CliError, tells_a_file_that_is_no_database) {
  write_file(path("letter"), std::string(5000, 'x'));
  const Finished finished = refused("sqlite:" + path("letter"), {"jobs"});
  EXPECT_EQ(finished.code, 5);
  EXPECT_TRUE(says(finished, "is not a SQLite database")) << finished.err;
}

TEST_F(CliError, tells_a_database_without_a_queue) {
  for (const auto& arguments : std::vector<std::vector<std::string>>{
           {"jobs"}, {"enqueue", "a"}, {"show", "1"}, {"work", "--exec", "a=true"}}) {
    auto named = arguments;
    named.insert(named.end(), {"--namespace", "other"});
    const Finished finished = cli(named);
    EXPECT_EQ(finished.code, 5);
    EXPECT_TRUE(says(finished, "run `holdfast init`")) << finished.err;
  }
}

TEST_F(CliError, refuses_a_newer_schema_and_names_both_versions) {
  sql("insert into holdfast_migrations select 99, 'later', applied_at, program, 99 "
      "from holdfast_migrations limit 1");
  for (const auto& arguments : std::vector<std::vector<std::string>>{
           {"jobs"}, {"enqueue", "a"}, {"init"}, {"migrate"}, {"work", "--exec", "a=true"}}) {
    const Finished finished = cli(arguments);
    EXPECT_EQ(finished.code, 5) << arguments.front();
    EXPECT_TRUE(says(finished, "99") && says(finished, "(schema 1)")) << finished.err;
  }
}

TEST_F(CliError, tells_a_file_that_cannot_be_written) {
  using std::filesystem::perms;
  const auto readable = perms::owner_read | perms::group_read | perms::others_read;
  const auto enter = perms::owner_exec | perms::group_exec | perms::others_exec;
  std::filesystem::permissions(file(), readable);
  std::filesystem::permissions(directory_.path(), readable | enter);
  const Finished finished = run_program_unprivileged(on_queue({"enqueue", "a"}));
  std::filesystem::permissions(directory_.path(), perms::owner_all);
  EXPECT_EQ(finished.code, 1);
  EXPECT_TRUE(says(finished, "cannot be written: check the permissions")) << finished.err;
}

TEST_F(CliError, tells_a_file_that_cannot_be_opened_by_its_name) {
  using std::filesystem::perms;
  std::filesystem::permissions(file(), perms::none);
  std::filesystem::permissions(directory_.path(), perms::owner_all | perms::others_all);
  const Finished finished = run_program_unprivileged(on_queue({"jobs"}));
  std::filesystem::permissions(file(), perms::owner_all);
  EXPECT_EQ(finished.code, 1);
  EXPECT_TRUE(says(finished, file())) << finished.err;
  EXPECT_TRUE(says(finished, "check")) << finished.err;
}

TEST_F(CliError, tells_a_namespace_that_is_not_there) {
  const Finished finished = cli({"jobs", "--namespace", "other"});
  EXPECT_EQ(finished.code, 5);
  EXPECT_TRUE(says(finished, "(namespace other)")) << finished.err;
}

TEST_F(CliError, tells_a_directory_from_a_file) {
  const Finished finished = refused("sqlite:" + directory_.path().string(), {"init"});
  EXPECT_EQ(finished.code, 2);
  EXPECT_TRUE(says(finished, "is a directory")) << finished.err;
}

TEST_F(CliError, does_not_call_output_that_was_lost_a_success) {
  const Finished finished =
      run_program({"/bin/sh", "-c", "exec \"$0\" jobs --database \"$1\" >/dev/full",
                   std::getenv("HOLDFAST_BINARY"), "sqlite:" + file()});
  EXPECT_EQ(finished.code, 1);
  EXPECT_TRUE(says(finished, "No space left")) << finished.err;
}

TEST_F(CliError, answers_wrong_usage_with_2_and_the_reason) {
  for (const auto& arguments : std::vector<std::vector<std::string>>{
           {},
           {"bogus"},
           {"enqueue"},
           {"enqueue", "a", "b", "c"},
           {"enqueue", "a", "--nope"},
           {"enqueue", "a", "--priority", "10"},
           {"enqueue", "a", "--delay", "5"},
           {"enqueue", "a", "--on-conflict", "replace"},
           {"work", "--exec", "a=b", "--queue", "a, b"},
           {"jobs", "--database", "sqlite://x.db"},
           {"enqueue", "a", "--delay", ""},
           {"enqueue", "a", "--delay", "1s", "--run-at", "@1"},
           {"enqueue", ""},
           {"enqueue", "a\tb"},
           {"enqueue", std::string(201, 'x')},
           {"enqueue", "a", std::string("\xff")},
           {"jobs", "--state", "done"},
           {"jobs", "--limit", "0"},
           {"show", "x"},
           {"show", "0"},
           {"work"},
           {"work", "--exec", "a"},
           {"work", "--exec", "a=b", "--exec", "a=c"},
           {"work", "--exec", "a=b", "--lease", "1ms"},
           {"work", "--exec", "a=b", "--threads", "0"},
           {"jobs", "--namespace", "No-Name"},
       }) {
    const Finished finished = cli(arguments);
    EXPECT_EQ(finished.code, 2) << (arguments.empty() ? "" : arguments.back());
    EXPECT_TRUE(finished.err.starts_with("holdfast: ")) << finished.err;
    EXPECT_EQ(finished.out, "");
  }
  EXPECT_EQ(jobs().size(), 0U);
}

TEST_F(CliError, is_an_object_with_json) {
  const Json usage = Json::parse(cli({"enqueue", "a", "--json", "--delay", "5"}).err);
  EXPECT_EQ(usage["error"], "usage");
  const Json missing = Json::parse(cli({"show", "7", "--json"}).err);
  EXPECT_EQ(missing["error"], "not_found");
  EXPECT_EQ(missing["message"], "there is no job 7");
}

TEST_F(CliError, refuses_a_payload_of_more_than_1_MiB) {
  const Finished finished = cli({"enqueue", "a", "-"}, std::string((1U << 20U) + 1, 'x'));
  EXPECT_EQ(finished.code, 2);
  EXPECT_TRUE(says(finished, "over 1 MiB")) << finished.err;
}

#ifdef HOLDFAST_WITH_POSTGRES

TEST_F(CliError, tells_a_server_that_is_not_there_without_the_password) {
  for (const char* url : {"postgres://u:hidden@127.0.0.1:1/d", "postgres://u:hid%64en@[::1/d",
                          "postgresql://u:hidden@127.0.0.1:1/d?password=hidden",
                          "postgres://u:hidden@127.0.0.1:port/d"}) {
    for (const char* command : {"jobs", "init"}) {
      const Finished finished = refused(url, {command});
      EXPECT_TRUE(finished.code == 4 || finished.code == 2) << finished.code;
      EXPECT_FALSE(says(finished, "hidden") || says(finished, "hid%64en")) << finished.err;
    }
  }
  EXPECT_EQ(refused("postgres://u:hidden@127.0.0.1:1/d", {"jobs"}).code, 4);
}

TEST(CliPostgres, runs_a_job_from_enqueue_to_show) {
  const PostgresServer& server = shared_postgres();
  const FreshPostgres database(server);
  const std::string url = "postgresql://postgres:hidden@/" + database.name() +
                          "?host=" + server.socket_directory() +
                          "&port=" + std::to_string(server.port());
  const auto cli = [&](std::vector<std::string> arguments, std::string_view input = {}) {
    return run_program(std::move(arguments), input, {"HOLDFAST_DATABASE=" + url});
  };
  EXPECT_EQ(cli({"jobs"}).code, 5);
  const Finished made = cli({"init"});
  EXPECT_EQ(made.code, 0) << made.err;
  EXPECT_EQ(made.out.find("hidden"), std::string::npos);
  EXPECT_EQ(cli({"enqueue", "mail", "-"}, "Grüße\n").out, "1\n");
  const Finished worked = cli({"work", "--drain", "--exec", "mail=cat"});
  EXPECT_EQ(worked.code, 0) << worked.err;
  EXPECT_EQ(worked.out, "Grüße\n");
  EXPECT_EQ(worked.err.find("hidden"), std::string::npos);
  EXPECT_EQ(Json::parse(cli({"show", "1", "--json"}).out)["state"], "succeeded");
  EXPECT_EQ(Json::parse(cli({"stats", "--json"}).out)["total"]["succeeded"], 1);
}

TEST(CliPostgres, works_with_no_more_connections_than_it_says) {
  const FreshPostgres database(shared_postgres());
  const std::string on = "postgres:" + database.conninfo();
  const auto application = open_application(on);
  open_store(on).migrate();
  const Program worker({"work", "--exec", "nap=sleep 0.1", "--database",
                        "postgresql://postgres@/" + database.name() +
                            "?host=" + shared_postgres().socket_directory()});
  const auto connections = [&] {
    return application->number(
        "select count(*) from pg_stat_activity"
        " where datname = current_database() and pid <> pg_backend_pid()");
  };
  std::int64_t most = 0;
  for (int i = 0; i < 20; ++i) (void)application->enqueue(NewJob{"nap", "", {}});
  EXPECT_TRUE(eventually([&] {
    most = std::max(most, connections());
    return application->number("select count(*) from holdfast.history") == 20;
  }));
  EXPECT_GE(most, 3);
  EXPECT_LE(most, 4);
  EXPECT_NE(worker.err().find("at most 4 connections"), std::string::npos) << worker.err();
}

#endif

}  // namespace
}  // namespace holdfast::test
