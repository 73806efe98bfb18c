#include "cli/process_group.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <string_view>

namespace holdfast::cli {

namespace {

/// Ours replace what the worker itself was started with under the same names.
std::vector<char*> merged(const std::vector<std::string>& ours) {
  std::vector<char*> all;
  all.reserve(ours.size());
  for (const std::string& entry : ours) all.push_back(const_cast<char*>(entry.c_str()));
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const std::string_view name = text.substr(0, text.find('=') + 1);
    bool replaced = false;
    for (const std::string& own : ours) replaced = replaced || own.starts_with(name);
    if (!replaced) all.push_back(*entry);
  }
  all.push_back(nullptr);
  return all;
}

struct FileActions {
  posix_spawn_file_actions_t raw{};
  FileActions() { ::posix_spawn_file_actions_init(&raw); }
  ~FileActions() { ::posix_spawn_file_actions_destroy(&raw); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
};

struct Attributes {
  posix_spawnattr_t raw{};
  Attributes() {
    ::posix_spawnattr_init(&raw);
    sigset_t none;
    sigset_t ours;
    sigemptyset(&none);
    sigemptyset(&ours);
    for (const int changed : {SIGPIPE, SIGINT, SIGTERM}) sigaddset(&ours, changed);
    ::posix_spawnattr_setsigmask(&raw, &none);
    ::posix_spawnattr_setsigdefault(&raw, &ours);
    ::posix_spawnattr_setpgroup(&raw, 0);
    ::posix_spawnattr_setflags(
        &raw, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~Attributes() { ::posix_spawnattr_destroy(&raw); }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;
};

Descriptor open_end_event(pid_t pid) {
#ifdef SYS_pidfd_open
  return Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
#else
  return Descriptor();
#endif
}

}  // namespace

ProcessGroup::ProcessGroup(const std::string& command, const std::vector<std::string>& environment,
                           const Descriptor& stdin_end, const Descriptor& stderr_end) {
  FileActions files;
  ::posix_spawn_file_actions_adddup2(&files.raw, stdin_end.fd(), STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&files.raw, stderr_end.fd(), STDERR_FILENO);
  const Attributes attributes;
  std::string shell = "sh";
  std::string flag = "-c";
  std::string text = command;
  char* const arguments[] = {shell.data(), flag.data(), text.data(), nullptr};
  const std::vector<char*> variables = merged(environment);
  // posix_spawn and not fork: no copy of a process with many threads and an open database.
  const int error =
      ::posix_spawn(&pid_, "/bin/sh", &files.raw, &attributes.raw, arguments, variables.data());
  if (error != 0) throw_system_error("/bin/sh could not be started", error);
  end_event_ = open_end_event(pid_);
}

ProcessGroup::~ProcessGroup() {
  if (pid_ < 0) return;
  signal(SIGKILL);
  reap();
}

bool ProcessGroup::ended() const noexcept {
  siginfo_t info{};
  const int answer = ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT);
  return answer == 0 && info.si_pid == pid_;
}

void ProcessGroup::signal(int number) const noexcept { ::kill(-pid_, number); }

int ProcessGroup::reap() noexcept {
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  return status;
}

}  // namespace holdfast::cli
