#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "options.hpp"

namespace checksums {

/// A child process running this same program. Killed and reaped when it goes out of scope.
class Process {
 public:
  explicit Process(const Options& options);
  ~Process();
  Process(Process&& other) noexcept;
  Process& operator=(Process&& other) noexcept;

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] pid_t id() const { return pid_; }
  void signal(int number) const;

  /// How it ended, as a sentence ("" for exit code 0); nothing while it runs.
  [[nodiscard]] std::optional<std::string> poll();
  std::string wait();

 private:
  std::string name_;
  pid_t pid_ = -1;
};

}  // namespace checksums
