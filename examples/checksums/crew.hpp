#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "process.hpp"
#include "progress.hpp"

namespace checksums {

/// The processes of a run. Throws std::runtime_error when one ends that nobody killed.
class Crew {
 public:
  Crew(const Options& options, Progress& progress);

  /// Looks after the children: notices ends, and starts the replacement of the killed worker
  /// when its time has come.
  void tend();

  [[nodiscard]] bool enumerating() const { return enumerator_.has_value(); }

  /// SIGKILL for the first worker; a new one follows a second later. Once.
  void kill_one();
  [[nodiscard]] bool killed_one() const { return killed_; }
  [[nodiscard]] bool complete() const { return !replacement_due_; }

  /// Asks the workers to stop and waits until they have.
  void dismiss();

 private:
  void start_worker();

  Options options_;
  Progress& progress_;
  std::optional<Process> enumerator_;
  std::vector<Process> workers_;
  int workers_started_ = 0;
  bool killed_ = false;
  std::optional<std::chrono::steady_clock::time_point> replacement_due_;
};

}  // namespace checksums
