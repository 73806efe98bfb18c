#include "holdfast/retry_policy.hpp"

#include <algorithm>
#include <cmath>

namespace holdfast {

namespace {

constexpr Duration floor_delay = std::chrono::milliseconds(100);
constexpr Duration base_max = std::chrono::hours(24);
constexpr Duration cap_max = std::chrono::days(3660);

/// The curve in microseconds, as a double: it may be huge or infinite, never NaN.
double curve_at(const RetryPolicy& policy, int attempt) {
  const double base = static_cast<double>(policy.base.count());
  const double n = static_cast<double>(std::max(1, attempt));
  return policy.curve == RetryPolicy::Curve::power ? base * std::pow(n, policy.exponent)
                                                   : base * std::pow(policy.exponent, n - 1);
}

}  // namespace

std::optional<std::string> RetryPolicy::fault() const {
  if (base < std::chrono::milliseconds(1) || base > base_max) {
    return "the base of a retry policy is 1 ms to 1 day";
  }
  if (!(exponent >= 1.0 && exponent <= 10.0)) return "the exponent of a retry policy is 1 to 10";
  if (cap < floor_delay || cap > cap_max) return "the cap of a retry policy is 100 ms to 10 years";
  if (!(jitter >= 0.0 && jitter <= 1.0)) return "the jitter of a retry policy is 0 to 1";
  if (max_attempts < 1 || max_attempts > 1'000'000) {
    return "the attempts of a retry policy are 1 to 1,000,000";
  }
  return std::nullopt;
}

Duration RetryPolicy::delay(int attempt, double random) const {
  const double cap_us = static_cast<double>(std::clamp(cap, floor_delay, cap_max).count());
  double delay_us = curve_at(*this, attempt);
  if (!(delay_us < cap_us)) delay_us = cap_us;  // infinity, and NaN from a nonsensical policy
  const double spread = std::clamp(jitter, 0.0, 1.0) * (2.0 * std::clamp(random, 0.0, 1.0) - 1.0);
  delay_us =
      std::clamp(delay_us * (1.0 + spread), static_cast<double>(floor_delay.count()), cap_us);
  return Duration(static_cast<Duration::rep>(delay_us));
}

}  // namespace holdfast
