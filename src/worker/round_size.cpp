#include "worker/round_size.hpp"

#include <algorithm>

namespace holdfast::worker {

namespace {

/// Weight of a new round in the average.
constexpr double freshness = 0.25;

/// Before anything is known.
constexpr int first_round = 100;

/// A round of few jobs tells more about the transaction than about a job.
constexpr std::size_t jobs_telling = 16;

constexpr auto ns(std::chrono::nanoseconds length) { return static_cast<double>(length.count()); }

}  // namespace

int RoundSize::jobs() const noexcept {
  if (!bounded_) return batch_;
  if (job_ns_ == 0) return std::min(first_round, batch_);
  const double work_ns =
      beside_ ? std::clamp(commit_ns_, ns(work_beside), ns(work_alone)) : ns(work_alone);
  // A job is claimed in one round and ended in another, so a round has two lists of this length.
  return static_cast<int>(
      std::clamp<double>(work_ns / (2 * job_ns_), std::min(jobs_least, batch_), batch_));
}

void RoundSize::took(const Round& round) noexcept {
  beside_ = round.beside;
  commit_ns_ += freshness * (ns(round.commit) - commit_ns_);
  if (round.jobs < jobs_telling) return;
  const double job_ns = ns(round.work) / static_cast<double>(round.jobs);
  job_ns_ = job_ns_ > 0 ? job_ns_ + freshness * (job_ns - job_ns_) : job_ns;
}

}  // namespace holdfast::worker
