#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "cli/descriptor.hpp"

namespace holdfast::cli {

/// A shell that leads a process group of its own. It stays unreaped for the life of this object,
/// so that its process id, and with it the group's, cannot become somebody else's meanwhile.
class ProcessGroup {
 public:
  /// Starts `/bin/sh -c command` with no signal blocked or, of those we
  /// change, ignored. Throws Error(storage).
  ProcessGroup(const std::string& command, const std::vector<std::string>& environment,
               const Descriptor& stdin_end, const Descriptor& stderr_end);
  ~ProcessGroup();
  ProcessGroup(const ProcessGroup&) = delete;
  ProcessGroup& operator=(const ProcessGroup&) = delete;

  /// True once the shell has ended.
  [[nodiscard]] bool ended() const noexcept;

  /// Becomes readable when the shell ends; -1 where the kernel has no such thing.
  [[nodiscard]] const Descriptor& end_event() const noexcept { return end_event_; }

  void signal(int number) const noexcept;

  /// Waits for the shell and returns its wait status. Once.
  int reap() noexcept;

 private:
  pid_t pid_ = -1;
  Descriptor end_event_;
};

}  // namespace holdfast::cli
