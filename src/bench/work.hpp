#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "holdfast/job.hpp"

namespace holdfast::bench {

using Steady = std::chrono::steady_clock::time_point;

/// The work that every figure is about: a job of 100 bytes whose handler does nothing.
inline constexpr std::string_view job_kind = "bench";

/// A JSON object of 100 bytes with the number in front, so that it can be read back.
[[nodiscard]] std::string payload(std::int64_t number);
[[nodiscard]] std::int64_t number_in(std::string_view payload);

[[nodiscard]] NewJob job(std::int64_t number);

/// How long a question about single commits is asked. A slow disk answers it with fewer jobs.
class Patience {
 public:
  /// Larger transactions are asked about until all is done.
  static constexpr int jobs_max = 64;

  [[nodiscard]] bool over() const { return std::chrono::steady_clock::now() > end_; }

 private:
  Steady end_ = std::chrono::steady_clock::now() + std::chrono::seconds(2);
};

[[nodiscard]] double per_second(std::int64_t jobs, Steady since);

/// Jobs per second of so many threads together. Each does its share, which answers how many jobs it
/// did. Throws what one of them threw, after all have ended.
[[nodiscard]] double per_second_together(std::size_t threads,
                                         const std::function<std::int64_t(std::size_t)>& share);
[[nodiscard]] double milliseconds_between(Steady begin, Steady end);

}  // namespace holdfast::bench
