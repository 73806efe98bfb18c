#pragma once

#include <optional>
#include <string>

#include "holdfast/time.hpp"

namespace holdfast {

/// When a failed job runs again. The delay before attempt n+1, n counted from 1:
///
///   power:        base * n^exponent
///   exponential:  base * exponent^(n-1)
///
/// then capped, then spread by ±jitter (a fraction of the delay), and never below 100 ms nor
/// above the cap. Computed without overflow for every n. Default: n^4 s, at most a day, as River
/// and Graphile-style queues do.
struct RetryPolicy {
  enum class Curve { power, exponential };
  Curve curve = Curve::power;
  Duration base = std::chrono::seconds(1);
  double exponent = 4.0;  ///< 1 … 10
  Duration cap = std::chrono::hours(24);
  double jitter = 0.1;    ///< 0 … 1
  int max_attempts = 20;  ///< 1 … 1,000,000

  /// The rule this policy breaks, in a sentence, or nothing when it is usable.
  [[nodiscard]] std::optional<std::string> fault() const;

  /// Delay after the n-th attempt failed. `random` is uniform in [0, 1). Pure.
  [[nodiscard]] Duration delay(int attempt, double random) const;

  bool operator==(const RetryPolicy&) const = default;
};

}  // namespace holdfast
