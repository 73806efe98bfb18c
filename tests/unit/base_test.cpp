#include <gtest/gtest.h>
#include <unistd.h>

#include <set>
#include <string>
#include <thread>

#include "base/fork.hpp"
#include "base/random.hpp"
#include "base/utf8.hpp"
#include "holdfast/clock.hpp"
#include "holdfast/error.hpp"
#include "support/child.hpp"

namespace holdfast {
namespace {

TEST(Utf8, accepts_every_length_at_its_limits) {
  for (const std::string_view text :
       {"", "plain", "\x7f", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80",
        "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf", "twelve bytes \xe2\x82\xac more"}) {
    EXPECT_TRUE(base::valid_utf8(text)) << text;
  }
  EXPECT_TRUE(base::valid_utf8(std::string_view("a\0b", 3)));
}

TEST(Utf8, refuses_overlong_surrogates_and_what_is_cut_off) {
  for (const std::string_view text :
       {"\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xc2", "\xc2g", "\xe0\x9f\xbf", "\xed\xa0\x80",
        "\xed\xbf\xbf", "\xe2\x82", "\xe2\x82g", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80",
        "\xf0\x90\x80", "\xf0\x90\x80g", "\xf5\x80\x80\x80", "\xff", "\xfe",
        "eight okay then \xe2\x28\xa1 bad"}) {
    EXPECT_FALSE(base::valid_utf8(text)) << ::testing::PrintToString(text);
  }
}

TEST(Utf8, agrees_with_the_definition_for_every_code_point) {
  for (unsigned point = 0x800; point <= 0xffff; ++point) {
    const std::string text{static_cast<char>(0xe0 | (point >> 12)),
                           static_cast<char>(0x80 | ((point >> 6) & 0x3f)),
                           static_cast<char>(0x80 | (point & 0x3f))};
    const bool surrogate = point >= 0xd800 && point <= 0xdfff;
    ASSERT_EQ(base::valid_utf8(text), !surrogate) << point;
  }
}

TEST(Random, ids_are_32_hexadecimal_digits_and_differ) {
  std::set<std::string> seen;
  for (int count = 0; count < 1000; ++count) {
    const std::string id = base::random_id();
    EXPECT_EQ(id.size(), 32U);
    EXPECT_EQ(id.find_first_not_of("0123456789abcdef"), std::string::npos) << id;
    seen.insert(id);
  }
  EXPECT_EQ(seen.size(), 1000U);
}

TEST(Random, unit_fills_zero_to_one_without_one) {
  double smallest = 1;
  double largest = 0;
  for (int count = 0; count < 10'000; ++count) {
    const double value = base::random_unit();
    smallest = std::min(smallest, value);
    largest = std::max(largest, value);
  }
  EXPECT_GE(smallest, 0);
  EXPECT_LT(smallest, 0.01);
  EXPECT_LT(largest, 1);
  EXPECT_GT(largest, 0.99);
}

TEST(Random, threads_do_not_step_in_time) {
  const double here = base::random_unit();
  double there = here;
  std::thread([&] { there = base::random_unit(); }).join();
  EXPECT_NE(here, there);
}

TEST(Random, a_forked_child_goes_its_own_way) {
  static_cast<void>(base::random_unit());
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_TRUE(test::in_child([&] {
    const double value = base::random_unit();
    return ::write(ends[1], &value, sizeof value) == sizeof value;
  }));
  double of_child = 0;
  ASSERT_EQ(::read(ends[0], &of_child, sizeof of_child), ssize_t{sizeof of_child});
  EXPECT_NE(base::random_unit(), of_child);
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(Fork, a_child_has_another_generation_and_the_parent_keeps_its_own) {
  const auto before = base::fork_generation();
  EXPECT_TRUE(test::in_child([&] { return base::fork_generation() != before; }));
  EXPECT_EQ(base::fork_generation(), before);
}

TEST(Clock, system_clock_tells_wall_time_and_steady_time) {
  const auto wall = std::chrono::system_clock::now();
  EXPECT_LT(std::chrono::abs(system_clock().now() - wall), std::chrono::seconds(5));
  const auto earlier = system_clock().steady();
  EXPECT_GE(system_clock().steady(), earlier);
}

TEST(Error, carries_code_text_and_statement) {
  const Error error(Code::constraint, "priority is 0 (first) to 9 (last)", "insert_job");
  EXPECT_EQ(error.code(), Code::constraint);
  EXPECT_STREQ(error.what(), "priority is 0 (first) to 9 (last)");
  EXPECT_EQ(error.statement(), "insert_job");
}

TEST(Error, every_code_has_a_name_of_its_own) {
  std::set<std::string_view> names;
  for (int code = 0; code <= static_cast<int>(Code::internal); ++code) {
    names.insert(to_string(static_cast<Code>(code)));
  }
  EXPECT_EQ(names.size(), static_cast<std::size_t>(Code::internal) + 1);
  EXPECT_FALSE(names.contains("unknown"));
}

TEST(Error, only_what_may_pass_by_itself_is_retryable) {
  const std::set<Code> retryable{Code::busy, Code::restart, Code::disconnected, Code::storage_full};
  for (int number = 0; number <= static_cast<int>(Code::internal); ++number) {
    const auto code = static_cast<Code>(number);
    EXPECT_EQ(Error(code, "").retryable(), retryable.contains(code)) << to_string(code);
  }
}

}  // namespace
}  // namespace holdfast
