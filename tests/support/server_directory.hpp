#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

namespace holdfast::test {

/// Where a server keeps its files: in memory, where fsync costs nothing (on disk after all if there
/// is too little), or on disk.
enum class Medium { memory, disk };

/// A directory of a private server below /dev/shm or /tmp (short, because socket paths are limited
/// to 107 characters), owned by the account that runs servers. Removed by the destructor; those
/// that a killed test program left behind are removed by the next program that makes one.
class ServerDirectory {
 public:
  explicit ServerDirectory(std::string_view what, Medium medium = Medium::memory);
  ~ServerDirectory();
  ServerDirectory(const ServerDirectory&) = delete;
  ServerDirectory& operator=(const ServerDirectory&) = delete;

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  [[nodiscard]] std::string operator/(std::string_view name) const;

 private:
  pid_t owner_;
  std::string path_;
};

}  // namespace holdfast::test
