#pragma once

#include <string>

/// The raw floor: the same work in plain C calls, without the library. One table of jobs, one of
/// history; a job is inserted, marked as taken, and moved to history. Same durability, same
/// machine, same run. All answers are jobs per second.
namespace holdfast::bench {

struct Figures {
  double enqueue_one = 0;    ///< one job a transaction
  double enqueue_batch = 0;  ///< 1,000 jobs a transaction
  double claim_settle = 0;   ///< `batch` jobs a transaction, kept in history
};

struct Work {
  int one = 2000;      ///< jobs for enqueue_one
  int many = 100'000;  ///< jobs for enqueue_batch and claim_settle
  int batch = 500;
};

[[nodiscard]] Figures sqlite_floor(const std::string& file, const Work& work);
[[nodiscard]] Figures postgres_floor(const std::string& conninfo, const Work& work);

}  // namespace holdfast::bench
