#include "scratch.hpp"

#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <system_error>

namespace checksums {

Scratch::Scratch(Options& options) : keep_(options.keep) {
  directory_ = (std::filesystem::temp_directory_path() / "checksums.XXXXXX").string();
  if (::mkdtemp(directory_.data()) == nullptr) {
    throw std::system_error(errno, std::generic_category(), directory_);
  }
  options.logs = directory_;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(
      std::chrono::system_clock::now().time_since_epoch());
  options.run = "checksums_" + std::to_string(seconds.count()) + "_" + std::to_string(::getpid());
  if (options.database.empty()) options.database = "sqlite:" + directory_ + "/checksums.db";
}

Scratch::~Scratch() {
  if (keep_) return;
  std::error_code ignored;
  std::filesystem::remove_all(directory_, ignored);
}

}  // namespace checksums
