#include "support/server_directory.hpp"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <stdexcept>

#include "support/unprivileged_process.hpp"

namespace holdfast::test {

namespace {

/// The process in the name of a directory of ours is gone.
bool abandoned(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix)) return false;
  name.remove_prefix(prefix.size());
  pid_t owner = 0;
  std::from_chars(name.data(), name.data() + name.size(), owner);
  return owner > 0 && ::kill(owner, 0) != 0 && errno == ESRCH;
}

constexpr std::uintmax_t memory_bytes_min = std::uintmax_t{2} << 30;

std::string root_of(Medium medium) {
  std::error_code fault;
  const auto space = std::filesystem::space("/dev/shm", fault);
  const bool enough = !fault && space.available >= memory_bytes_min;
  return medium == Medium::memory && enough ? "/dev/shm/" : "/tmp/";
}

void remove_abandoned(const std::string& root, const std::string& prefix) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(root, ignored)) {
    if (abandoned(entry.path().filename().string(), prefix)) {
      std::filesystem::remove_all(entry.path(), ignored);
    }
  }
}

}  // namespace

ServerDirectory::ServerDirectory(std::string_view what, Medium medium) : owner_(::getpid()) {
  const std::string prefix = "holdfast-" + std::string(what) + "-";
  const std::string root = root_of(medium);
  remove_abandoned(root, prefix);
  path_ = root + prefix + std::to_string(owner_) + "-XXXXXX";
  if (::mkdtemp(path_.data()) == nullptr) throw std::runtime_error("cannot make " + path_);
  give_to_server_account(path_);
}

ServerDirectory::~ServerDirectory() {
  std::error_code ignored;
  if (::getpid() == owner_) std::filesystem::remove_all(path_, ignored);
}

std::string ServerDirectory::operator/(std::string_view name) const {
  return path_ + "/" + std::string(name);
}

}  // namespace holdfast::test
