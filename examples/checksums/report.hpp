#pragma once

#include <cstdint>
#include <string>

#include "catalogue.hpp"
#include "options.hpp"
#include "place.hpp"

namespace checksums {

/// The account of a run, from the database and from the logs outside it.
struct Report {
  std::int64_t files = 0;
  std::int64_t acknowledged = 0;  ///< commits that answered, by the enumerator's own log
  std::int64_t jobs = 0;
  std::int64_t succeeded = 0;
  std::int64_t quarantined = 0;
  std::string quarantine_reason = {};  ///< of one of them
  std::int64_t starts = 0;             ///< by the workers' own log
  std::int64_t attempts_lost = 0;      ///< taken over from a worker that was gone
  std::int64_t effects_doubled = 0;
  std::int64_t effects_missing = 0;   ///< succeeded without a result
  std::int64_t jobs_live = 0;         ///< not final yet: the run was broken off
  std::int64_t jobs_lost = 0;         ///< acknowledged, and nowhere or final twice
  std::int64_t jobs_orphaned = 0;     ///< jobs without a file, files without a job
  std::int64_t files_beyond = 0;      ///< left out: more than were asked for
  std::int64_t files_unnameable = 0;  ///< left out: names that are not UTF-8
  double enqueued_per_second = 0;
  double worked_per_second = 0;

  /// Nothing lost, doubled, missing or orphaned.
  [[nodiscard]] bool sound() const;

  /// Sound, and every job has come to its end.
  [[nodiscard]] bool complete() const { return sound() && jobs_live == 0; }
};

/// `seconds` is how long the run took, from the first process to the last final job.
[[nodiscard]] Report make_report(const Place& place, Catalogue& catalogue, double seconds);

void print(const Report& report, const Options& options);

}  // namespace checksums
