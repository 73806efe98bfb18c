#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "support/temporary_directory.hpp"

namespace holdfast::test {

/// How the program ended and what it said.
struct Finished {
  int code = 0;  ///< exit code, or minus the number of the signal
  std::string out = {};
  std::string err = {};
};

/// The program `holdfast` in a process of its own, in an empty environment but for PATH. Killed
/// and reaped when it goes out of scope. The path comes from HOLDFAST_BINARY.
class Program {
 public:
  explicit Program(std::vector<std::string> arguments, std::string_view stdin_bytes = {},
                   std::vector<std::string> environment = {});
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  void signal(int number) const;
  [[nodiscard]] Finished wait();

  /// What it has said on stderr up to now.
  [[nodiscard]] std::string err() const;

 private:
  TemporaryDirectory files_;
  pid_t process_ = -1;
};

/// Starts it and waits for its end.
[[nodiscard]] Finished run_program(std::vector<std::string> arguments,
                                   std::string_view stdin_bytes = {},
                                   std::vector<std::string> environment = {});

/// The same as a user who owns nothing, if we are root, whom no file mode stops.
[[nodiscard]] Finished run_program_unprivileged(std::vector<std::string> arguments);

[[nodiscard]] std::string content_of(const std::string& path);
void write_file(const std::string& path, std::string_view bytes);

/// Waits until a file has something in it. Throws std::runtime_error after a minute.
std::string wait_for_content(const std::string& path);

/// Waits until a process is gone or a zombie; false after a minute.
[[nodiscard]] bool ends(pid_t process);

}  // namespace holdfast::test
