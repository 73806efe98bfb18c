#include "crash/cli_program.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <system_error>
#include <thread>

namespace holdfast::test {

namespace {

using std::chrono::steady_clock;

std::string binary() {
  const char* path = std::getenv("HOLDFAST_BINARY");
  if (path == nullptr) throw std::runtime_error("set HOLDFAST_BINARY to the program under test");
  return path;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

pid_t spawn(std::vector<std::string> arguments, std::vector<std::string> environment,
            const TemporaryDirectory& files) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  const std::string in = files / "in";
  const std::string out = files / "out";
  const std::string err = files / "err";
  const int write = O_WRONLY | O_CREAT | O_APPEND;
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, in.c_str(), O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out.c_str(), write, 0666);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err.c_str(), write, 0666);
  environment.push_back(std::string("PATH=") + std::getenv("PATH"));
  pid_t process = -1;
  const int error = posix_spawnp(&process, arguments.front().c_str(), &actions, nullptr,
                                 pointers_to(arguments).data(), pointers_to(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::system_error(error, std::generic_category(), arguments.front());
  return process;
}

template <class Condition>
bool within_a_minute(Condition condition) {
  const auto give_up = steady_clock::now() + std::chrono::minutes(1);
  while (!condition()) {
    if (steady_clock::now() > give_up) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

/// A copy that everybody may run, wherever the build tree is.
std::string public_copy(const TemporaryDirectory& directory) {
  namespace fs = std::filesystem;
  const std::string copy = directory / "holdfast";
  fs::copy_file(binary(), copy);
  const auto everybody = fs::perms::owner_all | fs::perms::group_read | fs::perms::group_exec |
                         fs::perms::others_read | fs::perms::others_exec;
  fs::permissions(copy, everybody);
  fs::permissions(directory.path(), everybody);
  return copy;
}

}  // namespace

Program::Program(std::vector<std::string> arguments, std::string_view stdin_bytes,
                 std::vector<std::string> environment) {
  write_file(files_ / "in", stdin_bytes);
  if (!arguments.front().starts_with("/")) arguments.insert(arguments.begin(), binary());
  process_ = spawn(std::move(arguments), std::move(environment), files_);
}

Program::~Program() {
  if (process_ < 0) return;
  signal(SIGKILL);
  static_cast<void>(wait());
}

void Program::signal(int number) const { ::kill(process_, number); }

Finished Program::wait() {
  int status = 0;
  while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
  const int code = WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
  return {code, content_of(files_ / "out"), content_of(files_ / "err")};
}

std::string Program::err() const { return content_of(files_ / "err"); }

Finished run_program(std::vector<std::string> arguments, std::string_view stdin_bytes,
                     std::vector<std::string> environment) {
  return Program(std::move(arguments), stdin_bytes, std::move(environment)).wait();
}

Finished run_program_unprivileged(std::vector<std::string> arguments) {
  if (::geteuid() != 0) return run_program(std::move(arguments));
  const TemporaryDirectory directory;
  arguments.insert(arguments.begin(), {"/usr/bin/setpriv", "--reuid=65534", "--regid=65534",
                                       "--clear-groups", public_copy(directory)});
  return run_program(std::move(arguments));
}

std::string content_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_file(const std::string& path, std::string_view bytes) {
  std::ofstream out(path, std::ios::binary);
  out << bytes;
}

std::string wait_for_content(const std::string& path) {
  if (!within_a_minute([&] { return !content_of(path).empty(); })) {
    throw std::runtime_error(path + " never came");
  }
  return content_of(path);
}

bool ends(pid_t process) {
  return within_a_minute([&] {
    const std::string status = content_of("/proc/" + std::to_string(process) + "/stat");
    return status.empty() || status.find(") Z ") != std::string::npos;
  });
}

}  // namespace holdfast::test
