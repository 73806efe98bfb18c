#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/shell_command.hpp"
#include "holdfast/handlers.hpp"
#include "holdfast/job.hpp"
#include "holdfast/outcome.hpp"

namespace holdfast::cli {

/// Exit codes with which a command answers something other than "done" and "failed": those of
/// sysexits.h.
inline constexpr int exit_data_error = 65;
inline constexpr int exit_temporary_failure = 75;

/// What a command is told about its job beside the payload on stdin.
[[nodiscard]] std::vector<std::string> environment_of(const JobRow& job,
                                                      std::string_view idempotency_key);

/// What the end of a command means for its job.
[[nodiscard]] Outcome outcome_of(const CommandResult& result);

/// A handler that runs `command` for each job. Nothing of the job is put into the command.
[[nodiscard]] Handler exec_handler(std::string command, CommandLimits limits = {});

}  // namespace holdfast::cli
