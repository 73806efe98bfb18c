#pragma once

#include <stdexcept>

namespace holdfast::cli {

/// The command line cannot be carried out as it stands. Ends the program with ExitCode::usage.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace holdfast::cli
