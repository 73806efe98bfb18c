#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/stop_token.hpp"
#include "holdfast/time.hpp"

namespace holdfast::cli {

struct CommandLimits {
  Duration kill_after = std::chrono::seconds(2);  ///< from SIGTERM to SIGKILL after a stop
  std::size_t stderr_bytes_max = 4096;            ///< of the end of stderr that is kept
};

/// How a command ended: exactly one of `status` and `signal` is set.
struct CommandResult {
  std::optional<int> status = {};
  std::optional<int> signal = {};
  bool stopped = false;          ///< it was asked to end before it ended
  std::string stderr_tail = {};  ///< bytes as they came; may begin inside a character
};

/// Runs `/bin/sh -c command` in a process group of its own and waits for it: `payload` on its
/// stdin, `environment` ("NAME=value") on top of ours, our stdout as its stdout.
///
/// A command need not read its stdin. What it leaves running in the background is not waited for.
/// When `stop` is raised the whole group gets SIGTERM, and SIGKILL `kill_after` later or once the
/// shell has ended and nobody holds its stderr any more. The shell is always reaped.
///
/// SIGPIPE must be ignored in this process. Any number of threads may run commands at once. Throws
/// Error(storage) when no process can be started.
[[nodiscard]] CommandResult run_command(const std::string& command, std::string_view payload,
                                        const std::vector<std::string>& environment,
                                        const stop_token& stop, const CommandLimits& limits = {});

}  // namespace holdfast::cli
