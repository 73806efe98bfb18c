#pragma once

#include <string>
#include <vector>

namespace checksums {

/// What the command line says.
struct Options {
  std::string database = {};  ///< sqlite:FILE or postgres://…; empty: a fresh file
  std::string directory = "/usr/share";
  long files = 2000;  ///< at most so many; each is two durable commits, so a disk's pace counts
  int workers = 3;
  int threads = 2;  ///< of each worker
  bool keep = false;
  bool help = false;

  // What the supervisor says to the processes it starts from this same program.
  std::string role = "supervise";  ///< or enumerate, work
  std::string logs = {};           ///< directory of the logs outside the database
  std::string run = {};            ///< name of this run's namespace
  std::string name = {};           ///< of the worker, for its log lines
};

/// Throws std::invalid_argument with a sentence for the user.
[[nodiscard]] Options parse_options(int count, const char* const* arguments);

/// The arguments that make parse_options return `options` again, for a child process.
[[nodiscard]] std::vector<std::string> to_arguments(const Options& options);

[[nodiscard]] const char* usage();

}  // namespace checksums
