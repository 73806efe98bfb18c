#include "cli/job_argument.hpp"

#include <fmt/format.h>

#include "cli/output.hpp"

namespace holdfast::cli {

namespace {

Parsed<std::string> not_blank(std::string_view text) {
  if (text.find_first_not_of(" \t\n") == std::string_view::npos) {
    return Parsed<std::string>::refused("must not be empty: it is kept in the job's receipt");
  }
  return std::string(text);
}

}  // namespace

void add_job_argument(Arguments& arguments, JobId& id) {
  arguments.parsed("ID", id, parse_id, "id of the job", Need::required);
}

void add_operator(Arguments& arguments, Operator& who, Need need) {
  arguments.parsed("--reason", who.reason, not_blank, "why, for the receipt", need);
  arguments.parsed("--actor", who.actor, not_blank, "who does it, for the receipt", need);
}

ExitCode nothing_done(const Globals& globals, std::string_view error, const std::string& text) {
  print_error(globals.json, error, text);
  return ExitCode::nothing_done;
}

ExitCode no_such_job(const Globals& globals, JobId id) {
  return nothing_done(globals, "not_found", fmt::format("there is no job {}", id));
}

}  // namespace holdfast::cli
