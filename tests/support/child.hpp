#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <exception>
#include <iostream>

namespace holdfast::test {

/// Starts a forked child that runs `body`, a function without arguments that returns whether all
/// was as it should be. Nothing of the parent is destroyed or flushed in it.
template <class Body>
[[nodiscard]] pid_t start_child(Body body) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  int status = 3;
  try {
    status = body() ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << "in the child: " << error.what() << std::endl;
  }
  ::_exit(status);
}

/// Waits for a child; true when its body returned true.
[[nodiscard]] inline bool child_succeeded(pid_t child) {
  int status = 0;
  return child > 0 && ::waitpid(child, &status, 0) == child && WIFEXITED(status) &&
         WEXITSTATUS(status) == 0;
}

/// Both in one.
template <class Body>
[[nodiscard]] bool in_child(Body body) {
  return child_succeeded(start_child(body));
}

}  // namespace holdfast::test
