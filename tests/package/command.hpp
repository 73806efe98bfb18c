#pragma once

#include <string>
#include <vector>

namespace holdfast::test {

/// What a command did: its exit code (-1 when a signal ended it) and all that it wrote.
struct Ran {
  int exit_code = -1;
  std::string output;
};

/// Runs a program, found in PATH, and waits for it. Throws when it cannot be started.
[[nodiscard]] Ran run_command(const std::vector<std::string>& words);

}  // namespace holdfast::test
