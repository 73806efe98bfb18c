#pragma once

#include <mutex>
#include <string_view>
#include <vector>

#include "cli/output.hpp"
#include "holdfast/worker.hpp"

namespace holdfast::cli {

/// What `holdfast work` says: a line each on stderr, since stdout belongs to the commands it runs.
/// Safe to call from any thread.
class WorkLog {
 public:
  explicit WorkLog(bool json) : json_(json) {}

  /// What the worker is about to do, with what it was really given.
  void start(const std::string& database, const std::vector<std::string>& kinds,
             const WorkerOptions& options);
  void stopping(bool hurry);
  void summary(const WorkerReport& report);

  /// A line of the worker's own: `level message`.
  void line(LogLevel level, std::string_view message);

 private:
  void write(const Json& fields, const std::string& text);

  std::mutex mutex_;
  const bool json_;
};

}  // namespace holdfast::cli
