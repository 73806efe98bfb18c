#include <string>

#include "crash/cli_fixture.hpp"

namespace holdfast::test {
namespace {

class Cli : public CliTest {};

TEST_F(Cli, init_and_migrate_may_run_again) {
  EXPECT_NE(cli({"init"}).out.find("nothing to do"), std::string::npos);
  EXPECT_EQ(cli({"migrate"}).code, 0);
  const Json again = Json::parse(cli({"init", "--json"}).out);
  EXPECT_EQ(again["schema_before"], again["schema"]);
}

TEST_F(Cli, prints_the_schema_without_connecting) {
  const Finished printed = run_program({"migrate", "--print", "--namespace", "app", "--database",
                                        "postgres://u:hidden@nowhere.invalid/d"});
  EXPECT_EQ(printed.code, 0);
  EXPECT_NE(printed.out.find("create schema if not exists \"app\""), std::string::npos);
  const Finished local = run_program({"init", "--print", "--database", "sqlite:" + path("none")});
  EXPECT_NE(local.out.find("create table holdfast_jobs"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(path("none")));
}

TEST_F(Cli, enqueue_prints_the_id_and_keeps_the_payload_byte_for_byte) {
  const std::string payload =
      "{\"a\": [1, 2]}\n\ttab \"quoted\" 'single' $HOME `id` \\ Grüße 日本\r\n\n";
  EXPECT_EQ(enqueue({"mail", payload}), "1");
  EXPECT_EQ(enqueue({"mail", "-"}, payload), "2");
  EXPECT_EQ(enqueue({"mail"}), "3");
  EXPECT_EQ(show("1")["payload"], payload);
  EXPECT_EQ(show("2")["payload"], payload);
  EXPECT_EQ(show("3")["payload"], "");
}

TEST_F(Cli, takes_payloads_that_look_like_something_else) {
  for (const char* payload :
       {"stats", "init", "[1,2]", "[]", "{}", "{\"a\":1}", "%%", "-5", "sqlite:x", " ", ""}) {
    EXPECT_EQ(show(enqueue({"mail", payload}))["payload"], payload);
  }
  EXPECT_EQ(show(enqueue({"mail", "--", "--json"}))["payload"], "--json");
  EXPECT_EQ(show(enqueue({"mail", "--", "++"}))["payload"], "++");
  EXPECT_EQ(cli({"enqueue", "mail", "++"}).code, 2);
  EXPECT_EQ(show(enqueue({"work", "version"}))["kind"], "work");
}

TEST_F(Cli, reads_options_before_and_after_the_command) {
  const std::string database = "sqlite:" + file();
  EXPECT_EQ(run_program({"--json", "--database", database, "enqueue", "a"}).code, 0);
  EXPECT_EQ(run_program({"enqueue", "a", "--database", database, "--json"}).out.front(), '{');
  EXPECT_EQ(run_program({"enqueue", "a"}, {}, {"HOLDFAST_DATABASE=" + database}).out, "3\n");
}

TEST_F(Cli, keeps_what_is_said_about_a_job) {
  const Json job =
      show(enqueue({"mail",           "x",  "--queue",      "out",
                    "--priority",     "0",  "--run-at",     "2030-01-01T00:00:00+01:00",
                    "--unique-key",   "k",  "--group",      "g",
                    "--max-attempts", "3",  "--timeout",    "30s",
                    "--headers",      "{}", "--message-id", "m",
                    "--trace",        "t"}));
  EXPECT_EQ(job["queue"], "out");
  EXPECT_EQ(job["state"], "scheduled");
  EXPECT_EQ(job["priority"], 0);
  EXPECT_EQ(job["run_at"], "2029-12-31T23:00:00.000000Z");
  EXPECT_EQ(job["unique_key"], "k");
  EXPECT_EQ(job["group"], "g");
  EXPECT_EQ(job["max_attempts"], 3);
  EXPECT_EQ(job["timeout_ms"], 30'000);
  EXPECT_EQ(job["headers"], "{}");
  EXPECT_EQ(job["message_id"], "m");
  EXPECT_EQ(job["trace"], "t");
}

TEST_F(Cli, answers_what_became_of_a_unique_key) {
  const auto again = [&](const char* what) {
    return cli({"enqueue", "mail", "new", "--unique-key", "k", "--on-conflict", what, "--json"});
  };
  const std::string id = enqueue({"mail", "old", "--unique-key", "k"});
  EXPECT_EQ(Json::parse(again("keep").out)["result"], "kept");
  EXPECT_EQ(show(id)["payload"], "old");
  EXPECT_EQ(again("reject").code, 3);
  EXPECT_EQ(Json::parse(again("replace").out)["result"], "replaced");
  EXPECT_EQ(show(id)["payload"], "new");
}

TEST_F(Cli, lists_jobs_newest_first_and_filtered) {
  enqueue({"mail", "a", "--queue", "out"});
  enqueue({"mail", "b", "--delay", "1h"});
  enqueue({"image", "c"});
  const auto all = jobs();
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0]["payload"], "c");
  EXPECT_EQ(all[2]["payload"], "a");
  EXPECT_EQ(jobs({"--state", "scheduled"}).at(0)["payload"], "b");
  EXPECT_EQ(jobs({"--queue", "out"}).size(), 1U);
  EXPECT_EQ(jobs({"--kind", "mail"}).size(), 2U);
  EXPECT_EQ(jobs({"--limit", "1"}).size(), 1U);
  EXPECT_EQ(jobs({"--before", all[1]["id"].dump()}).at(0)["payload"], "a");
}

TEST_F(Cli, counts_jobs_by_queue_and_in_all) {
  enqueue({"mail", "--queue", "a"});
  enqueue({"mail", "--queue", "b", "--delay", "1h"});
  enqueue({"bad", "--queue", "b"});
  drain({"--exec", "mail=true", "--exec", "bad=exit 65"});
  const Json stats = Json::parse(cli({"stats", "--json"}).out);
  EXPECT_EQ(stats["queues"].size(), 2U);
  EXPECT_EQ(stats["total"]["succeeded"], 1);
  EXPECT_EQ(stats["total"]["scheduled"], 1);
  EXPECT_EQ(stats["total"]["quarantined"], 1);
  EXPECT_EQ(stats["total"]["ready"], 0);
  EXPECT_TRUE(stats["total"].contains("oldest_runnable_age_seconds"));
}

TEST_F(Cli, replays_a_quarantined_job_under_its_id_and_a_finished_one_under_a_new_one) {
  const std::string bad = enqueue({"bad"});
  const std::string good = enqueue({"good"});
  drain({"--exec", "bad=exit 65", "--exec", "good=true"});
  const auto replay = [&](const std::string& id) {
    return cli({"replay", id, "--reason", "mended", "--actor", "ann", "--json"});
  };
  EXPECT_EQ(Json::parse(replay(bad).out)["result"], "replayed");
  EXPECT_EQ(replay(bad).code, 3);
  const Json answer = Json::parse(replay(good).out);
  EXPECT_EQ(answer["result"], "new_job");
  EXPECT_EQ(show(answer["id"].dump())["replay_of"].dump(), good);
  EXPECT_EQ(replay("999").code, 3);
}

TEST_F(Cli, wants_a_reason_and_an_actor_for_a_replay) {
  const std::string id = enqueue({"bad"});
  drain({"--exec", "bad=exit 65"});
  EXPECT_EQ(cli({"replay", id}).code, 2);
  EXPECT_EQ(cli({"replay", id, "--reason", "r"}).code, 2);
  EXPECT_EQ(cli({"replay", id, "--reason", " ", "--actor", "a"}).code, 2);
  EXPECT_EQ(cli({"discard", id, "--actor", "a"}).code, 2);
  EXPECT_EQ(show(id)["state"], "quarantined");
}

TEST_F(Cli, discards_a_quarantined_job_once) {
  const std::string id = enqueue({"bad"});
  const std::vector<std::string> discard = {"discard", id, "--reason", "r", "--actor", "a"};
  EXPECT_EQ(cli(discard).code, 3);
  drain({"--exec", "bad=exit 65"});
  EXPECT_EQ(cli(discard).code, 0);
  EXPECT_EQ(cli(discard).code, 3);
  EXPECT_EQ(show(id)["state"], "discarded");
}

TEST_F(Cli, cancels_a_waiting_job_once) {
  const std::string id = enqueue({"mail"});
  EXPECT_EQ(cli({"cancel", id}).code, 0);
  EXPECT_EQ(cli({"cancel", id}).code, 3);
  EXPECT_EQ(cli({"cancel", "999"}).code, 3);
  EXPECT_EQ(show(id)["state"], "cancelled");
}

TEST_F(Cli, starts_new_idempotency_keys_after_a_restore) {
  const std::string before = show(enqueue({"a"}))["idempotency_key"];
  EXPECT_EQ(cli({"restored"}).code, 2);
  const Finished restored = cli({"restored", "--reason", "r", "--actor", "a", "--json"});
  EXPECT_EQ(restored.code, 0);
  const std::string after = show(enqueue({"a"}))["idempotency_key"];
  EXPECT_TRUE(after.starts_with(Json::parse(restored.out)["origin"].get<std::string>() + ":"));
  EXPECT_NE(before.substr(0, before.find(':')), after.substr(0, after.find(':')));
  EXPECT_EQ(show("1")["idempotency_key"], before);
}

TEST_F(Cli, prints_ids_exactly) {
  sql("insert into holdfast_jobs (id, kind) values (9007199254740991, 'a')");
  EXPECT_EQ(jobs().at(0)["id"].dump(), "9007199254740991");
  EXPECT_NE(cli({"jobs"}).out.find("9007199254740991  ready"), std::string::npos);
  EXPECT_EQ(show("9007199254740991")["id"], 9'007'199'254'740'991);
}

TEST_F(Cli, lets_no_text_of_a_job_drive_the_terminal) {
  const std::string id = enqueue({"bad", "-"},
                                 "\x1b[2J\x1b]0;title\x07\xc2\x9b"
                                 "31m");
  drain({"--exec", "bad=printf '\\033[31mred\\r\\007' >&2; exit 65"});
  for (const std::string& out : {cli({"jobs"}).out, cli({"show", id}).out}) {
    for (const char* wrong : {"\x1b", "\x07", "\r", "\xc2\x9b"}) {
      EXPECT_EQ(out.find(wrong), std::string::npos) << out;
    }
  }
  EXPECT_NE(cli({"show", id}).out.find("\\x1b[2J"), std::string::npos);
}

TEST_F(Cli, prints_valid_json_for_text_that_is_not) {
  sql("insert into holdfast_jobs (kind, payload) values ('a', cast(x'61ff62' as text))");
  EXPECT_EQ(jobs().at(0)["payload"], "a\uFFFDb");
  EXPECT_EQ(show("1")["payload"], "a\uFFFDb");
  EXPECT_NE(cli({"show", "1"}).out.find("a\\xffb"), std::string::npos);
}

TEST_F(Cli, keeps_two_queues_in_one_file_apart) {
  EXPECT_EQ(cli({"init", "--namespace", "other"}).code, 0);
  EXPECT_EQ(enqueue({"a"}), "1");
  EXPECT_EQ(enqueue({"b", "--namespace", "other"}), "1");
  EXPECT_EQ(jobs().size(), 1U);
  EXPECT_EQ(jobs({"--namespace", "other"}).at(0)["kind"], "b");
}

}  // namespace
}  // namespace holdfast::test
