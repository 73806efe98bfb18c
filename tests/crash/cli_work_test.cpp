#include <signal.h>

#include <string>

#include "crash/cli_fixture.hpp"

namespace holdfast::test {
namespace {

class CliWork : public CliTest {
 protected:
  [[nodiscard]] std::vector<std::string> work(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "work");
    return on_queue(std::move(arguments));
  }

  /// Shell text that writes to a file of the test.
  [[nodiscard]] std::string to(std::string_view name) const { return "> '" + path(name) + "'"; }
};

TEST_F(CliWork, hands_the_payload_to_stdin_and_the_job_to_the_environment) {
  const std::string payload = "$(touch pwned) `id` \"quoted\" 'single'\n\xf0\x9f\x8e\x89";
  const std::string id = enqueue({"mail", "-", "--queue", "out"}, payload);
  const std::string key = show(id)["idempotency_key"];
  drain({"--exec", "mail=cat " + to("payload") + "; env | grep ^HOLDFAST_ | sort " + to("env")});
  EXPECT_EQ(content_of(path("payload")), payload);
  const Json job = show(id);
  const std::string env = content_of(path("env"));
  EXPECT_NE(env.find("HOLDFAST_ATTEMPT=1\n"), std::string::npos);
  EXPECT_NE(env.find("HOLDFAST_FENCE=" + job["fence"].dump() + "\n"), std::string::npos);
  EXPECT_NE(env.find("HOLDFAST_CLAIM="), std::string::npos);
  EXPECT_NE(env.find("HOLDFAST_IDEMPOTENCY_KEY=" + key + "\n"), std::string::npos);
  EXPECT_NE(env.find("HOLDFAST_JOB_ID=" + id + "\n"), std::string::npos);
  EXPECT_NE(env.find("HOLDFAST_KIND=mail\n"), std::string::npos);
  EXPECT_NE(env.find("HOLDFAST_QUEUE=out\n"), std::string::npos);
  EXPECT_EQ(env.find("HOLDFAST_DATABASE"), std::string::npos);
  EXPECT_EQ(job["state"], "succeeded");
}

/// What the end of a command means: exit status, state, failure class, recorded error.
struct Ending {
  const char* name;
  const char* command;
  const char* state;
  const char* failure;
  const char* error;
};

class CliEnding : public CliWork, public testing::WithParamInterface<Ending> {};

TEST_P(CliEnding, decides_the_job) {
  const Ending& ending = GetParam();
  const std::string id = enqueue({"job", "x", "--max-attempts", "1"});
  drain({"--exec", std::string("job=") + ending.command});
  const Json job = show(id);
  EXPECT_EQ(job["state"], ending.state);
  EXPECT_EQ(job["last_failure"], ending.failure);
  EXPECT_EQ(job["last_error"], ending.error);
}

INSTANTIATE_TEST_SUITE_P(
    table, CliEnding,
    testing::Values(
        Ending{"data", "echo no such field >&2; exit 65", "quarantined", "data", "no such field"},
        Ending{"temporary", "echo down >&2; exit 75", "quarantined", "external", "down"},
        Ending{"failed", "echo oops >&2; exit 1", "quarantined", "application", "oops"},
        Ending{"silent", "exit 3", "quarantined", "application", "exit status 3"},
        Ending{"killed", "kill -11 $$", "quarantined", "application", "killed by signal 11"},
        Ending{"missing", "no-such-command 2>/dev/null", "quarantined", "application",
               "exit status 127"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST_F(CliWork, retries_with_the_number_of_the_attempt) {
  const std::string id = enqueue({"mail"});
  drain({"--exec", "mail=echo \"$HOLDFAST_ATTEMPT\" >" + to("attempts") +
                       "; test \"$HOLDFAST_ATTEMPT\" = 2 || exit 75"});
  EXPECT_EQ(content_of(path("attempts")), "1\n2\n");
  EXPECT_EQ(show(id)["state"], "succeeded");
}

TEST_F(CliWork, records_the_end_of_a_long_stderr) {
  const std::string id = enqueue({"mail", "--max-attempts", "1"});
  drain({"--exec", "mail=yes ä | head -c 99999 >&2; echo the end >&2; exit 1"});
  const std::string error = show(id)["last_error"];
  EXPECT_LE(error.size(), 4096U);
  EXPECT_GT(error.size(), 4000U);
  EXPECT_TRUE(error.ends_with("the end"));
}

TEST_F(CliWork, does_not_wait_for_a_command_to_read_a_payload_of_1_MiB) {
  const std::string id = enqueue({"mail", "-"}, std::string(1U << 20U, 'x'));
  drain({"--exec", "mail=exit 0"});
  EXPECT_EQ(show(id)["state"], "succeeded");
}

TEST_F(CliWork, ends_the_whole_process_group_at_the_timeout) {
  const std::string id = enqueue({"mail", "--timeout", "300ms", "--max-attempts", "1"});
  drain({"--exec", "mail=trap '' TERM; sleep 300 & echo $! " + to("pid") + "; sleep 300"});
  EXPECT_TRUE(ends(std::stoi(content_of(path("pid")))));
  EXPECT_EQ(show(id)["last_failure"], "timeout");
  EXPECT_EQ(show(id)["state"], "quarantined");
}

TEST_F(CliWork, serves_only_the_queues_and_kinds_that_it_was_told) {
  const std::string mine = enqueue({"mail", "--queue", "a"});
  const std::string other_queue = enqueue({"mail", "--queue", "b"});
  const std::string other_kind = enqueue({"image", "--queue", "a"});
  Program worker(work({"--queue", "a,c", "--exec", "mail=echo $HOLDFAST_JOB_ID " + to("done")}));
  EXPECT_EQ(wait_for_content(path("done")), mine + "\n");
  worker.signal(SIGTERM);
  EXPECT_EQ(worker.wait().code, 0);
  EXPECT_EQ(show(other_queue)["state"], "ready");
  EXPECT_EQ(show(other_kind)["state"], "ready");
}

TEST_F(CliWork, lets_a_running_command_finish_after_a_signal_to_stop) {
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
    const std::string name = std::to_string(signal);
    const std::string id = enqueue({"mail"});
    Program worker(work({"--exec", "mail=echo up " + to("up" + name) + "; while [ ! -e '" +
                                       path("go" + name) + "' ]; do sleep 0.01; done"}));
    wait_for_content(path("up" + name));
    worker.signal(signal);
    while (worker.err().find("stopping") == std::string::npos) ::usleep(2000);
    write_file(path("go" + name), "go");
    EXPECT_EQ(worker.wait().code, 0) << name;
    EXPECT_EQ(show(id)["state"], "succeeded") << name;
  }
}

TEST_F(CliWork, ends_a_running_command_at_the_second_signal_and_hands_the_job_back) {
  const std::string id = enqueue({"mail"});
  Program worker(work({"--exec", "mail=echo $$ " + to("up") + "; sleep 300"}));
  const int command = std::stoi(wait_for_content(path("up")));
  worker.signal(SIGINT);
  while (worker.err().find("stopping") == std::string::npos) ::usleep(2000);
  worker.signal(SIGTERM);
  EXPECT_EQ(worker.wait().code, 0);
  EXPECT_TRUE(ends(command));
  EXPECT_EQ(show(id)["state"], "ready");
  EXPECT_EQ(show(id)["attempt"], 0);
}

TEST_F(CliWork, ends_the_command_of_a_job_that_is_cancelled) {
  const std::string id = enqueue({"mail"});
  Program worker(work({"--lease", "600ms", "--exec", "mail=echo $$ " + to("up") + "; sleep 300"}));
  const int command = std::stoi(wait_for_content(path("up")));
  const Finished cancelled = cli({"cancel", id, "--json"});
  EXPECT_EQ(cancelled.code, 0);
  EXPECT_EQ(Json::parse(cancelled.out)["result"], "requested");
  EXPECT_TRUE(ends(command));
  worker.signal(SIGTERM);
  EXPECT_EQ(worker.wait().code, 0);
  EXPECT_EQ(show(id)["state"], "cancelled");
}

TEST_F(CliWork, is_taken_over_when_it_is_killed) {
  const std::string id = enqueue({"mail"});
  Program killed(work({"--lease", "500ms", "--exec", "mail=echo $$ " + to("up") + "; sleep 300"}));
  const int orphan = std::stoi(wait_for_content(path("up")));
  killed.signal(SIGKILL);
  EXPECT_EQ(killed.wait().code, -SIGKILL);
  drain({"--exec", "mail=echo $HOLDFAST_FENCE " + to("fence")});
  EXPECT_EQ(content_of(path("fence")), "2\n");
  EXPECT_EQ(show(id)["state"], "succeeded");
  ::kill(-orphan, SIGKILL);
}

TEST_F(CliWork, says_what_it_does_on_stderr_and_leaves_stdout_to_commands) {
  enqueue({"mail", "hello"});
  const Finished text = drain({"--exec", "mail=cat", "--threads", "3"});
  EXPECT_EQ(text.out, "hello");
  EXPECT_NE(text.err.find("3 threads, lease 30s, at most 4 connections"), std::string::npos);
  EXPECT_NE(text.err.find("1 started, 1 succeeded"), std::string::npos);
  const Finished json = drain({"--json", "--exec", "mail=cat"});
  std::istringstream lines(json.err);
  std::vector<std::string> events;
  for (std::string line; std::getline(lines, line);) events.push_back(Json::parse(line)["event"]);
  EXPECT_EQ(events.front(), "start");
  EXPECT_EQ(events.back(), "stopped");
}

}  // namespace
}  // namespace holdfast::test
