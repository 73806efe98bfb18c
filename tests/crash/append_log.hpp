#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::test {

/// A log outside the database: every line is one write with O_APPEND, so it is whole, and it is
/// there although its writer is killed right after. Any thread.
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

/// The lines so far, each split at its blanks; none if there is no such file yet.
[[nodiscard]] std::vector<std::vector<std::string>> read_log(const std::string& path);

}  // namespace holdfast::test
