#pragma once

#include <chrono>
#include <string>

namespace checksums {

/// One line that is drawn again and again on a terminal; elsewhere a plain line now and then.
class Progress {
 public:
  Progress();

  void show(const std::string& line);

  /// A line that stays, above the progress line.
  void say(const std::string& line);

  /// Leaves the terminal on a fresh line.
  void finish();

 private:
  bool terminal_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point next_plain_;
};

}  // namespace checksums
