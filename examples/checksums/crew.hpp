#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "holdfast/store.hpp"
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

  /// SIGKILL for the first worker if it is in the middle of a job now; a new one follows a second
  /// later. To be tried again until killed_one().
  void try_to_kill_one(const holdfast::Store& store);
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
