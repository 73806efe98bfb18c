#include "cli/exec_handler.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "cli/shell_command.hpp"

namespace holdfast::cli {
namespace {

using namespace std::chrono_literals;

/// A folder that a command can leave files in.
class ShellCommand : public testing::Test {
 protected:
  ShellCommand() {
    std::signal(SIGPIPE, SIG_IGN);
    std::string name = testing::TempDir() + "holdfast-command-XXXXXX";
    folder_ = ::mkdtemp(name.data());
  }
  ~ShellCommand() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string file(const char* name) const { return folder_ / name; }

  [[nodiscard]] static std::string content(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  static void wait_for_file(const std::string& path) {
    const auto give_up = std::chrono::steady_clock::now() + 20s;
    while (content(path).empty()) {
      ASSERT_LT(std::chrono::steady_clock::now(), give_up) << path << " never came";
      std::this_thread::sleep_for(2ms);
    }
  }

  /// A process that is gone, or is a zombie that nobody has reaped yet, is not running.
  static bool runs(pid_t pid) {
    const std::string status = content("/proc/" + std::to_string(pid) + "/stat");
    return !status.empty() && status.find(") Z ") == std::string::npos;
  }

  static void expect_ends(pid_t pid) {
    const auto give_up = std::chrono::steady_clock::now() + 20s;
    while (runs(pid) && std::chrono::steady_clock::now() < give_up)
      std::this_thread::sleep_for(2ms);
    EXPECT_FALSE(runs(pid));
  }

  /// Runs it on another thread, raises its stop token once `started` has been written.
  CommandResult stop_when(const std::string& started, const std::string& command,
                          CommandLimits limits = {}) {
    stop_source stop;
    CommandResult result;
    std::thread thread([&] { result = run_command(command, "", {}, stop.get_token(), limits); });
    wait_for_file(started);
    stop.request_stop();
    thread.join();
    return result;
  }

  static CommandResult run(const std::string& command, std::string_view payload = "",
                           const std::vector<std::string>& environment = {}) {
    return run_command(command, payload, environment, stop_token{});
  }

  std::filesystem::path folder_;
};

TEST_F(ShellCommand, tells_how_it_ended) {
  EXPECT_EQ(run("true").status, 0);
  EXPECT_EQ(run("exit 75").status, 75);
  EXPECT_EQ(run("no-such-command-here 2>/dev/null").status, 127);
  const CommandResult killed = run("kill -9 $$");
  EXPECT_EQ(killed.signal, SIGKILL);
  EXPECT_FALSE(killed.status);
  EXPECT_FALSE(killed.stopped);
}

TEST_F(ShellCommand, gets_the_payload_byte_for_byte) {
  std::string payload;
  for (int i = 0; i < 300'000; ++i) payload += static_cast<char>(i * 7 % 256);
  EXPECT_EQ(run("cat > '" + file("out") + "'", payload).status, 0);
  EXPECT_EQ(content(file("out")), payload);
}

TEST_F(ShellCommand, may_leave_a_payload_of_1_MiB_unread) {
  const std::string payload(1U << 20U, 'x');
  EXPECT_EQ(run("exit 3", payload).status, 3);
  EXPECT_EQ(run("exec <&-; exit 4", payload).status, 4);
  EXPECT_EQ(run("head -c 10 >/dev/null; exit 5", payload).status, 5);
}

TEST_F(ShellCommand, never_sees_the_payload_as_code) {
  const std::string marker = file("marker");
  const std::string payload =
      "$(touch '" + marker + "'); `touch '" + marker + "'` ; touch " + marker;
  const CommandResult result = run("cat >/dev/null; echo \"$HOLDFAST_KIND\" >/dev/null", payload,
                                   {"HOLDFAST_KIND=" + payload});
  EXPECT_EQ(result.status, 0);
  EXPECT_FALSE(std::filesystem::exists(marker));
}

TEST_F(ShellCommand, sees_our_variables_instead_of_inherited_ones) {
  ::setenv("HOLDFAST_JOB_ID", "inherited", 1);
  ::setenv("HOLDFAST_TEST_KEPT", "kept", 1);
  const CommandResult result =
      run("echo \"$HOLDFAST_JOB_ID $HOLDFAST_TEST_KEPT\" >&2; "
          "env | grep -c ^HOLDFAST_JOB_ID= >&2",
          "", {"HOLDFAST_JOB_ID=7"});
  ::unsetenv("HOLDFAST_JOB_ID");
  ::unsetenv("HOLDFAST_TEST_KEPT");
  EXPECT_EQ(result.stderr_tail, "7 kept\n1\n");
}

TEST_F(ShellCommand, keeps_only_the_end_of_a_long_stderr) {
  const CommandResult result = run("yes 0123456789 | head -c 3000000 >&2; echo the end >&2");
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.stderr_tail.size(), 4096U);
  EXPECT_TRUE(result.stderr_tail.ends_with("the end\n"));
}

TEST_F(ShellCommand, is_not_waited_for_in_the_background) {
  const CommandResult result = run("sleep 300 & echo $! > '" + file("pid") + "'; echo said >&2");
  const pid_t background = std::stoi(content(file("pid")));
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.stderr_tail, "said\n");
  EXPECT_TRUE(runs(background));
  ::kill(background, SIGKILL);
}

/// Descriptors of this process that it was itself given to pass on.
int inheritable_descriptors() {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    const int flags = ::fcntl(std::stoi(entry.path().filename()), F_GETFD);
    if (flags >= 0 && (flags & FD_CLOEXEC) == 0) ++count;
  }
  return count;
}

TEST_F(ShellCommand, inherits_none_of_our_descriptors) {
  const CommandResult result = run("ls /proc/self/fd | wc -l >&2");
  EXPECT_EQ(std::stoi(result.stderr_tail), inheritable_descriptors() + 1);  // ls reads the folder
}

TEST_F(ShellCommand, has_the_usual_signals) {
  const CommandResult blocked = run("sed -n 's/^SigBlk:\t//p' /proc/self/status >&2");
  EXPECT_EQ(std::stoull(blocked.stderr_tail, nullptr, 16), 0U);
  const CommandResult ignored = run("sed -n 's/^SigIgn:\t//p' /proc/self/status >&2");
  const auto bits = std::stoull(ignored.stderr_tail, nullptr, 16);
  for (const int number : {SIGPIPE, SIGTERM, SIGINT}) {
    EXPECT_EQ(bits >> static_cast<unsigned>(number - 1) & 1U, 0U) << number;
  }
}

TEST_F(ShellCommand, can_clean_up_after_a_stop) {
  const std::string up = file("up");
  const CommandResult result = stop_when(
      up,
      "trap 'echo cleaned >&2; exit 0' TERM; echo up > '" + up + "'; while :; do sleep 0.01; done",
      {.kill_after = 60s});
  EXPECT_TRUE(result.stopped);
  EXPECT_EQ(result.status, 0);
  EXPECT_TRUE(result.stderr_tail.ends_with("cleaned\n")) << result.stderr_tail;
}

TEST_F(ShellCommand, is_killed_with_its_children_when_it_ignores_a_stop) {
  const std::string pid_file = file("pid");
  const CommandResult result = stop_when(
      pid_file,
      "trap '' TERM; sleep 300 & echo $! > '" + pid_file + "'; while :; do sleep 300; done",
      {.kill_after = 50ms});
  EXPECT_TRUE(result.stopped);
  EXPECT_EQ(result.signal, SIGKILL);
  expect_ends(std::stoi(content(pid_file)));
}

TEST_F(ShellCommand, does_not_leave_children_behind_that_outlive_the_shell_after_a_stop) {
  const std::string pid_file = file("pid");
  const CommandResult result = stop_when(
      pid_file,
      "(trap '' TERM; exec sleep 300) & sleep 0.1; echo $! > '" + pid_file + "'; sleep 300",
      {.kill_after = 50ms});
  EXPECT_EQ(result.signal, SIGTERM);
  expect_ends(std::stoi(content(pid_file)));
}

TEST_F(ShellCommand, ends_at_once_when_it_was_stopped_before_it_began) {
  stop_source stop;
  stop.request_stop();
  const CommandResult result = run_command("sleep 300", "", {}, stop.get_token());
  EXPECT_TRUE(result.stopped);
  EXPECT_EQ(result.signal, SIGTERM);
}

TEST_F(ShellCommand, runs_on_many_threads_at_once) {
  std::vector<std::thread> threads;
  std::vector<int> wrong(8, 0);
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    threads.emplace_back([&wrong, i] {
      for (int n = 0; n < 20; ++n) {
        const std::string text = std::to_string(i) + ":" + std::to_string(n);
        if (run("cat >&2", text).stderr_tail != text) ++wrong[i];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(8, 0));
}

CommandResult exited(int status, std::string stderr_tail = {}) {
  return {.status = status, .signal = {}, .stopped = false, .stderr_tail = std::move(stderr_tail)};
}

TEST(CommandOutcome, follows_the_exit_status) {
  EXPECT_EQ(outcome_of(exited(0, "warnings")).what, Outcome::What::done);
  const Outcome later = outcome_of(exited(75, "host is down\n"));
  EXPECT_EQ(later.what, Outcome::What::retry);
  EXPECT_EQ(later.failure, FailureClass::external);
  EXPECT_EQ(later.reason, "host is down");
  const Outcome bad = outcome_of(exited(65, "no such field\n"));
  EXPECT_EQ(bad.what, Outcome::What::quarantine);
  EXPECT_EQ(bad.failure, FailureClass::data);
  const Outcome failed = outcome_of(exited(1, "oops\n"));
  EXPECT_EQ(failed.what, Outcome::What::retry);
  EXPECT_EQ(failed.failure, FailureClass::application);
}

TEST(CommandOutcome, names_the_end_of_a_command_that_said_nothing) {
  EXPECT_EQ(outcome_of(exited(3)).reason, "exit status 3");
  EXPECT_EQ(outcome_of(exited(3, " \n\n")).reason, "exit status 3");
  CommandResult killed;
  killed.signal = 11;
  EXPECT_EQ(outcome_of(killed).what, Outcome::What::retry);
  EXPECT_EQ(outcome_of(killed).reason, "killed by signal 11");
}

TEST(CommandOutcome, makes_the_recorded_error_fit_for_both_databases) {
  const std::string torn =
      "\xbf\xa2"
      "after a cut \x1b[31mred\x1b[0m\xff\n";
  EXPECT_EQ(outcome_of(exited(1, torn)).reason, "after a cut ?[31mred?[0m\uFFFD");
}

TEST(CommandEnvironment, names_job_and_lease) {
  JobRow job;
  job.id = 9'007'199'254'740'991;
  job.kind = "mail";
  job.queue = "out";
  job.attempt = 2;
  job.fence = 5;
  job.claim_id = 77;
  EXPECT_EQ(
      environment_of(job, "abc:1:1"),
      (std::vector<std::string>{"HOLDFAST_JOB_ID=9007199254740991", "HOLDFAST_KIND=mail",
                                "HOLDFAST_QUEUE=out", "HOLDFAST_ATTEMPT=2", "HOLDFAST_FENCE=5",
                                "HOLDFAST_CLAIM=77", "HOLDFAST_IDEMPOTENCY_KEY=abc:1:1"}));
}

}  // namespace
}  // namespace holdfast::cli
