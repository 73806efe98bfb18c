#include "holdfast/retry_policy.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <limits>

namespace holdfast {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

RetryPolicy without_jitter() {
  RetryPolicy policy;
  policy.jitter = 0;
  return policy;
}

TEST(RetryPolicy, default_is_the_fourth_power_of_the_attempt_in_seconds_up_to_a_day) {
  const RetryPolicy policy = without_jitter();
  EXPECT_EQ(policy.delay(1, 0.5), seconds(1));
  EXPECT_EQ(policy.delay(2, 0.5), seconds(16));
  EXPECT_EQ(policy.delay(3, 0.5), seconds(81));
  EXPECT_EQ(policy.delay(17, 0.5), seconds(83521));
  EXPECT_EQ(policy.delay(18, 0.5), hours(24));
  EXPECT_EQ(policy.delay(std::numeric_limits<int>::max(), 0.5), hours(24));
}

TEST(RetryPolicy, exponential_curve_multiplies) {
  RetryPolicy policy = without_jitter();
  policy.curve = RetryPolicy::Curve::exponential;
  policy.base = seconds(2);
  policy.exponent = 2;
  policy.cap = seconds(60);
  EXPECT_EQ(policy.delay(1, 0.5), seconds(2));
  EXPECT_EQ(policy.delay(5, 0.5), seconds(32));
  EXPECT_EQ(policy.delay(6, 0.5), seconds(60));
}

TEST(RetryPolicy, delay_stays_between_its_floor_and_its_cap_for_every_attempt) {
  const bool holds = rc::check([] {
    RetryPolicy policy;
    policy.curve = *rc::gen::element(RetryPolicy::Curve::power, RetryPolicy::Curve::exponential);
    policy.base = milliseconds(*rc::gen::inRange(1, 86'400'001));
    policy.exponent = 1.0 + *rc::gen::inRange(0, 901) / 100.0;
    policy.cap = seconds(*rc::gen::inRange(1, 315'360'001));
    policy.jitter = *rc::gen::inRange(0, 101) / 100.0;
    RC_ASSERT(!policy.fault());
    const int attempt = *rc::gen::inRange(0, 10'001);
    const double random = *rc::gen::inRange(0, 1000) / 1000.0;
    const Duration delay = policy.delay(attempt, random);
    RC_ASSERT(delay >= milliseconds(100));
    RC_ASSERT(delay <= policy.cap);
    policy.jitter = 0;
    RC_ASSERT(policy.delay(attempt, 0.5) <= policy.delay(attempt + 1, 0.5));
  });
  EXPECT_TRUE(holds);
}

TEST(RetryPolicy, jitter_spreads_to_both_sides_and_no_further) {
  RetryPolicy policy;
  policy.jitter = 0.25;
  EXPECT_EQ(policy.delay(2, 0.0), seconds(12));
  EXPECT_EQ(policy.delay(2, 0.5), seconds(16));
  EXPECT_LE(policy.delay(2, std::nextafter(1.0, 0.0)), seconds(20));
}

TEST(RetryPolicy, nonsense_is_refused_with_the_rule) {
  const auto fault = [](auto change) {
    RetryPolicy policy;
    change(policy);
    return policy.fault().value_or("");
  };
  EXPECT_EQ(fault([](RetryPolicy&) {}), "");
  EXPECT_NE(fault([](RetryPolicy& p) { p.base = Duration(0); }), "");
  EXPECT_NE(fault([](RetryPolicy& p) { p.base = seconds(-1); }), "");
  EXPECT_NE(fault([](RetryPolicy& p) { p.cap = Duration(0); }), "");
  EXPECT_NE(fault([](RetryPolicy& p) { p.exponent = 0; }), "");
  EXPECT_NE(fault([](RetryPolicy& p) { p.exponent = std::nan(""); }), "");
  EXPECT_NE(fault([](RetryPolicy& p) { p.exponent = INFINITY; }), "");
  EXPECT_NE(fault([](RetryPolicy& p) { p.jitter = -0.1; }), "");
  EXPECT_NE(fault([](RetryPolicy& p) { p.jitter = std::nan(""); }), "");
  EXPECT_NE(fault([](RetryPolicy& p) { p.max_attempts = 0; }), "");
}

}  // namespace
}  // namespace holdfast
