#include "support/unprivileged_process.hpp"

#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace holdfast::test {

namespace {

/// Runs in the child of a program with threads: only calls that are safe after fork().
[[noreturn]] void become(char* const* command, const char* log, Account account, pid_t starter) {
  const int output = ::open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(output, STDERR_FILENO);
  ::dup2(::open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
  if (::geteuid() == 0) {
    if (::setgroups(0, nullptr) != 0 || ::setgid(account.group) != 0) ::_exit(126);
    if (::setuid(account.user) != 0) ::_exit(126);
  }
  // After setuid, which clears it. The second check closes the race with a starter that died first.
  ::prctl(PR_SET_PDEATHSIG, SIGQUIT);
  if (::getppid() != starter) ::_exit(126);
  ::setpgid(0, 0);  // a ^C in the terminal is for the tests, which then stop the server
  if (::chdir("/") != 0) ::_exit(126);
  ::execv(command[0], command);
  ::_exit(127);
}

/// State and parent from /proc; nothing when there is no such process.
struct Kin {
  char state = 0;
  pid_t parent = 0;
};
std::optional<Kin> kin_of(const std::string& process) {
  std::ifstream file("/proc/" + process + "/stat");
  std::string stat;
  std::getline(file, stat);
  const auto name_end = stat.rfind(") ");
  if (name_end == std::string::npos) return std::nullopt;
  Kin kin;
  std::istringstream(stat.substr(name_end + 2)) >> kin.state >> kin.parent;
  return kin;
}

std::vector<pid_t> children_of(pid_t process) {
  std::vector<pid_t> children;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const auto kin = kin_of(name);
    if (kin && kin->parent == process) children.push_back(std::stoi(name));
  }
  return children;
}

/// False also for one that has ended but that nobody has waited for.
bool alive(pid_t process) {
  const auto kin = kin_of(std::to_string(process));
  return kin && kin->state != 'Z';
}

}  // namespace

Account server_account() {
  if (::geteuid() != 0) return {::geteuid(), ::getegid()};
  for (const char* name : {"postgres", "nobody"}) {
    if (const passwd* entry = ::getpwnam(name)) return {entry->pw_uid, entry->pw_gid};
  }
  throw std::runtime_error("neither `postgres` nor `nobody` exists to run a server as");
}

void give_to_server_account(const std::string& path) {
  const Account account = server_account();
  if (::chown(path.c_str(), account.user, account.group) != 0) {
    throw std::runtime_error("cannot give " + path + " to the account that runs servers");
  }
}

UnprivilegedProcess::UnprivilegedProcess(const std::vector<std::string>& command,
                                         const std::string& log)
    : starter_(::getpid()) {
  std::vector<char*> arguments;
  for (const auto& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const Account account = server_account();
  process_ = ::fork();
  if (process_ == 0) become(arguments.data(), log.c_str(), account, starter_);
  if (process_ < 0) throw std::runtime_error("fork failed");
}

UnprivilegedProcess::~UnprivilegedProcess() {
  if (!running()) return;
  signal(SIGKILL);
  wait();
}

void UnprivilegedProcess::signal(int number) const {
  if (process_ > 0) ::kill(process_, number);
}

void UnprivilegedProcess::kill_with_children() {
  const auto children = children_of(process_);
  signal(SIGKILL);
  wait();
  for (const pid_t child : children) ::kill(child, SIGKILL);
  for (const pid_t child : children) {
    while (alive(child)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

int UnprivilegedProcess::wait() {
  if (process_ > 0) {
    while (::waitpid(process_, &status_, 0) < 0 && errno == EINTR) continue;
    process_ = -1;
  }
  return WIFEXITED(status_) ? WEXITSTATUS(status_) : -1;
}

bool UnprivilegedProcess::running() {
  if (::getpid() != starter_) return false;
  if (process_ > 0 && ::waitpid(process_, &status_, WNOHANG) == process_) process_ = -1;
  return process_ > 0;
}

}  // namespace holdfast::test
