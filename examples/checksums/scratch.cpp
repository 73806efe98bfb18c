#include "scratch.hpp"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <random>
#include <system_error>

namespace checksums {

namespace {

/// Short, because a queue's schema has at most 31 characters, its `_queue` included.
std::string fresh_name() {
  std::array<char, 32> name{};
  std::snprintf(name.data(), name.size(), "checksums_%d_%05x", ::getpid(),
                std::random_device{}() & 0xfffffU);
  return name.data();
}

}  // namespace

Scratch::Scratch(Options& options) : keep_(options.keep) {
  directory_ = (std::filesystem::temp_directory_path() / "checksums.XXXXXX").string();
  if (::mkdtemp(directory_.data()) == nullptr) {
    throw std::system_error(errno, std::generic_category(), directory_);
  }
  options.logs = directory_;
  options.run = fresh_name();
  if (options.database.empty()) options.database = "sqlite:" + directory_ + "/checksums.db";
}

Scratch::~Scratch() {
  if (keep_) return;
  std::error_code ignored;
  std::filesystem::remove_all(directory_, ignored);
}

}  // namespace checksums
