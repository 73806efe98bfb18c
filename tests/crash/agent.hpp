#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::test {

/// First argument that turns the test program into an agent.
inline constexpr std::string_view agent_argument = "agent";

/// What an agent is told: on its command line as `name=value`.
struct AgentOptions {
  std::string role = {};       ///< what it plays: see run_agent
  std::string database = {};   ///< sqlite:FILE or postgres:CONNINFO
  std::string directory = {};  ///< of the logs and of the files that handlers wait for
  std::string name = {};       ///< unique for each start, for the logs
  std::uint64_t seed = 1;
  std::int64_t threads = 2;
  std::int64_t lease_ms = 1000;
  std::int64_t grace_ms = 30'000;
  std::int64_t stop_grace_ms = 2000;
  std::int64_t sync_ms = 0;  ///< that a worker's disk takes longer for each sync
  std::string way = {};      ///< how a leaver is told to stop
};

[[nodiscard]] std::vector<std::string> to_arguments(const AgentOptions& options);

/// Plays the role until killed or told to stop. Returns the exit code.
[[nodiscard]] int run_agent(int count, char** arguments);

/// Commits orders with their jobs until killed (producer_agent.cpp).
[[noreturn]] void produce(const AgentOptions& options);

/// Works jobs until SIGTERM (worker_agent.cpp).
void work(const AgentOptions& options);

/// Commits read-then-write transactions and stand-alone enqueues, on SQLite, until the file `over`
/// exists (trader_agent.cpp).
void trade(const AgentOptions& options);

/// Runs as many handlers as it has threads, which return at the very instant at which it is told
/// to stop, and leaves (leaver_agent.cpp).
void leave(const AgentOptions& options);

/// Brings the schema up to date.
void migrate(const AgentOptions& options);

/// Keeps a processor busy until killed.
[[noreturn]] void burn();

// The logs, all below AgentOptions::directory, each line one write:
inline constexpr std::string_view start_log = "/starts.log";  ///< job fence attempt worker
inline constexpr std::string_view acknowledged_log = "/acknowledged.log";  ///< job order what
inline constexpr std::string_view rolled_back_log = "/rolled_back.log";    ///< order
inline constexpr std::string_view answer_log = "/answers.log";  ///< worker job answer-of-done_in
inline constexpr std::string_view report_log = "/reports.log";  ///< worker leases-lost released

inline constexpr std::string_view restart_log = "/restarts.log";  ///< order, each time
inline constexpr std::string_view trouble_log = "/troubles.log";  ///< what a worker warned of

/// Traders go on until this file exists.
inline constexpr std::string_view over_file = "/over";

/// A handler that holds goes on when the file of its fence exists.
[[nodiscard]] inline std::string go_file(std::int64_t fence) {
  return "/go." + std::to_string(fence);
}

}  // namespace holdfast::test
