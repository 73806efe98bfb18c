#pragma once

#include <mutex>
#include <string_view>

#include "holdfast/worker.hpp"

namespace holdfast::worker {

/// The application's log sink, called by one thread at a time. What the sink throws stays in here:
/// a log that fails must not fail a job.
class Log {
 public:
  explicit Log(LogSink sink) : sink_(std::move(sink)) {}

  void write(LogLevel level, std::string_view text) noexcept;
  void info(std::string_view text) noexcept { write(LogLevel::info, text); }
  void warning(std::string_view text) noexcept { write(LogLevel::warning, text); }
  void error(std::string_view text) noexcept { write(LogLevel::error, text); }

 private:
  std::mutex mutex_;  // serialises calls of sink_
  LogSink sink_;
};

}  // namespace holdfast::worker
