#include "crash/child.hpp"

#include <spawn.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

extern char** environ;

namespace holdfast::test {

namespace {

int ending(int status) { return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status); }

}  // namespace

Child::Child(const AgentOptions& options) : name_(options.name) {
  std::vector<std::string> arguments = to_arguments(options);
  arguments.insert(arguments.begin(), "crash-agent");
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  const int error =
      posix_spawn(&process_, "/proc/self/exe", nullptr, nullptr, pointers.data(), environ);
  if (error != 0) throw std::system_error(error, std::generic_category(), "posix_spawn");
}

Child::~Child() { kill(); }

Child::Child(Child&& other) noexcept
    : name_(std::move(other.name_)), process_(std::exchange(other.process_, -1)) {}

Child& Child::operator=(Child&& other) noexcept {
  std::swap(name_, other.name_);
  std::swap(process_, other.process_);
  return *this;
}

void Child::signal(int number) const {
  if (process_ > 0) ::kill(process_, number);
}

void Child::kill() {
  signal(SIGKILL);
  wait();
}

void Child::pause() const {
  signal(SIGSTOP);
  int status = 0;
  while (waitpid(process_, &status, WUNTRACED) < 0 && errno == EINTR) {
  }
}

int Child::wait() {
  if (process_ < 0) return 0;
  int status = 0;
  while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
  return ending(status);
}

std::optional<int> Child::ended() {
  int status = 0;
  if (process_ < 0 || waitpid(process_, &status, WNOHANG) <= 0) return std::nullopt;
  process_ = -1;
  return ending(status);
}

}  // namespace holdfast::test
