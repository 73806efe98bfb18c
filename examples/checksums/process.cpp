#include "process.hpp"

#include <spawn.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <system_error>
#include <utility>
#include <vector>

extern char** environ;

namespace checksums {

namespace {

constexpr const char* this_program = "/proc/self/exe";

std::string ending(int status) {
  if (WIFSIGNALED(status)) return "killed by signal " + std::to_string(WTERMSIG(status));
  if (WEXITSTATUS(status) == 0) return "";
  return "ended with exit code " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

Process::Process(const Options& options) : name_(options.name) {
  std::vector<std::string> arguments = to_arguments(options);
  arguments.insert(arguments.begin(), "checksums");
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  const int error = posix_spawn(&pid_, this_program, nullptr, nullptr, pointers.data(), environ);
  if (error != 0) throw std::system_error(error, std::generic_category(), "starting " + name_);
}

Process::~Process() {
  if (pid_ < 0) return;
  signal(SIGKILL);
  waitpid(pid_, nullptr, 0);
}

Process::Process(Process&& other) noexcept
    : name_(std::move(other.name_)), pid_(std::exchange(other.pid_, -1)) {}

Process& Process::operator=(Process&& other) noexcept {
  std::swap(name_, other.name_);
  std::swap(pid_, other.pid_);
  return *this;
}

void Process::signal(int number) const {
  if (pid_ > 0) ::kill(pid_, number);
}

std::optional<std::string> Process::poll() {
  int status = 0;
  if (pid_ < 0) return "";
  if (waitpid(pid_, &status, WNOHANG) == 0) return std::nullopt;
  pid_ = -1;
  return ending(status);
}

std::string Process::wait() {
  int status = 0;
  while (pid_ > 0 && waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  return ending(status);
}

}  // namespace checksums
