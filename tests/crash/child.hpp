#pragma once

#include <sys/types.h>

#include <optional>

#include "crash/agent.hpp"

namespace holdfast::test {

/// An agent in a process of its own. Killed and reaped when it goes out of scope.
class Child {
 public:
  explicit Child(const AgentOptions& options);
  ~Child();
  Child(Child&& other) noexcept;
  Child& operator=(Child&& other) noexcept;

  void signal(int number) const;

  /// SIGKILL, and waits until it is gone.
  void kill();

  /// SIGSTOP, and waits until it stands still.
  void pause() const;

  /// Waits for its end: the exit code, or minus the number of the signal.
  int wait();

  /// The same without waiting; nothing while it runs.
  [[nodiscard]] std::optional<int> ended();

  [[nodiscard]] const std::string& name() const noexcept { return name_; }

 private:
  std::string name_;
  pid_t process_ = -1;
};

}  // namespace holdfast::test
