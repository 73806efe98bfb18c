#include "package/command.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <stdexcept>

namespace holdfast::test {

namespace {

struct Pipe {
  Pipe() {
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("pipe failed");
  }
  ~Pipe() {
    close_writer();
    ::close(ends[0]);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  void close_writer() {
    if (ends[1] >= 0) ::close(ends[1]);
    ends[1] = -1;
  }

  std::array<int, 2> ends{};
};

pid_t start(const std::vector<std::string>& words, const Pipe& pipe) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, pipe.ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, pipe.ends[1], STDERR_FILENO);
  pid_t child = 0;
  const int error =
      ::posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::runtime_error(words[0] + " cannot be started");
  return child;
}

std::string read_all(int fd) {
  std::string text;
  std::array<char, 4096> buffer{};
  for (ssize_t count = 0; (count = ::read(fd, buffer.data(), buffer.size())) > 0;) {
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
  return text;
}

}  // namespace

Ran run_command(const std::vector<std::string>& words) {
  Pipe pipe;
  const pid_t child = start(words, pipe);
  pipe.close_writer();
  Ran ran;
  ran.output = read_all(pipe.ends[0]);
  int status = 0;
  if (::waitpid(child, &status, 0) == child && WIFEXITED(status)) {
    ran.exit_code = WEXITSTATUS(status);
  }
  return ran;
}

}  // namespace holdfast::test
