#pragma once

#include "cli/exit_code.hpp"

namespace holdfast::cli {

/// The program `holdfast`: reads the command line, does what it says and reports what went wrong.
/// Does not throw.
[[nodiscard]] ExitCode run(int argc, const char* const* argv);

}  // namespace holdfast::cli
