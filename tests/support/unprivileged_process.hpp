#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace holdfast::test {

/// The account that servers run as when the tests run as root, which PostgreSQL refuses:
/// `postgres` if there is one, else `nobody`. When the tests are not root, their own account.
struct Account {
  uid_t user;
  gid_t group;
};
[[nodiscard]] Account server_account();

/// Gives a path to that account.
void give_to_server_account(const std::string& path);

/// A program run as that account, with its output in a file. The kernel sends it SIGQUIT when the
/// thread that started it ends, however it ends: start it from a thread that lives as long as the
/// program is needed. Killed by the destructor, except in a forked child.
class UnprivilegedProcess {
 public:
  UnprivilegedProcess(const std::vector<std::string>& command, const std::string& log);
  ~UnprivilegedProcess();
  UnprivilegedProcess(const UnprivilegedProcess&) = delete;
  UnprivilegedProcess& operator=(const UnprivilegedProcess&) = delete;

  void signal(int number) const;

  /// kill -9 for it and all its children at this moment; returns when they are gone.
  void kill_with_children();

  /// Waits until it has ended; returns its exit status, or -1 if a signal ended it.
  int wait();

  /// Looks whether it still runs; false in a forked child, whose process it is not.
  [[nodiscard]] bool running();

 private:
  pid_t starter_;
  pid_t process_;
  int status_ = 0;
};

}  // namespace holdfast::test
