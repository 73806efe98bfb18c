#pragma once

#include "cli/commands.hpp"
#include "holdfast/store.hpp"

namespace holdfast::cli {

/// The ID of commands about one job.
void add_job_argument(Arguments& arguments, JobId& id);

/// The options --reason and --actor. Empty ones are refused.
void add_operator(Arguments& arguments, Operator& who, Need need);

/// Says that there is no job of this id: the answer of a database that was asked.
ExitCode no_such_job(const Globals& globals, JobId id);

/// Says that nothing was changed, and why.
ExitCode nothing_done(const Globals& globals, std::string_view error, const std::string& text);

}  // namespace holdfast::cli
