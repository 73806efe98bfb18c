#include "progress.hpp"

#include <unistd.h>

#include <cstdio>

namespace checksums {

namespace {

constexpr std::chrono::seconds plain_interval{2};
constexpr const char* erase_line = "\r\033[K";

}  // namespace

Progress::Progress()
    : terminal_(::isatty(STDOUT_FILENO) == 1), next_plain_(std::chrono::steady_clock::now()) {}

void Progress::show(const std::string& line) {
  const auto now = std::chrono::steady_clock::now();
  if (terminal_) {
    std::printf("%s%s", erase_line, line.c_str());
    drawn_ = true;
  } else if (now >= next_plain_) {
    std::printf("%s\n", line.c_str());
    next_plain_ = now + plain_interval;
  }
  std::fflush(stdout);
}

void Progress::say(const std::string& line) {
  std::printf("%s%s\n", drawn_ ? erase_line : "", line.c_str());
  drawn_ = false;
  std::fflush(stdout);
}

void Progress::finish() {
  if (drawn_) std::printf("\n");
  drawn_ = false;
}

}  // namespace checksums
