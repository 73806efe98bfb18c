#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace checksums {

/// A log outside the database. Every line is one write to a file opened with O_APPEND, so lines of
/// several processes never mix and a line is there once append() has returned, even if its writer
/// is killed right after. Any thread.
class AppendLog {
 public:
  explicit AppendLog(const std::string& path);
  ~AppendLog();
  AppendLog(const AppendLog&) = delete;
  AppendLog& operator=(const AppendLog&) = delete;

  void append(std::string_view line);

 private:
  int descriptor_;
};

/// The lines written so far; none if there is no such file yet.
[[nodiscard]] std::vector<std::string> read_log(const std::string& path);

}  // namespace checksums
