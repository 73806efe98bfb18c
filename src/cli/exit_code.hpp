#pragma once

#include "holdfast/error.hpp"

namespace holdfast::cli {

/// What `holdfast` answers to the shell. Scripts rely on these numbers (docs/cli.md); this is the
/// only place that knows them.
enum class ExitCode : int {
  ok = 0,            ///< done
  failed = 1,        ///< the database or the machine failed; the text says how
  usage = 2,         ///< the command line, or a value in it, is wrong; nothing was done
  nothing_done = 3,  ///< no such job, or nothing to do in the state it is in; nothing was changed
  unavailable =
      4,         ///< not reachable or too busy; nothing was changed, the same call may work later
  unusable = 5,  ///< no Holdfast tables there, or of a version that this program cannot use
  in_doubt = 6,  ///< the connection ended during the commit: look before doing it again
};

[[nodiscard]] constexpr ExitCode exit_code(Code code) noexcept {
  switch (code) {
    case Code::busy:
    case Code::restart:
    case Code::disconnected: return ExitCode::unavailable;
    case Code::in_doubt: return ExitCode::in_doubt;
    case Code::schema: return ExitCode::unusable;
    case Code::constraint:
    case Code::invalid: return ExitCode::usage;
    case Code::durability:
    case Code::storage_full:
    case Code::read_only:
    case Code::corrupt:
    case Code::storage:
    case Code::forked:
    case Code::misuse:
    case Code::internal: return ExitCode::failed;
  }
  return ExitCode::failed;
}

}  // namespace holdfast::cli
