#include "queue/cursor.hpp"

#include <gtest/gtest.h>

namespace holdfast::queue {
namespace {

using namespace std::chrono_literals;

constexpr Time now{Duration(1h)};
constexpr Cursor::Steady steady{};
constexpr int level = 5;

Time start_of(const Cursor& cursor, Cursor::Steady at) {
  return cursor.start(now, at).levels.at(level);
}

TEST(Cursor, starts_at_the_head_while_that_is_cheap) {
  Cursor cursor;
  cursor.scanned(cursor.start(now, steady), {1ms, false, now}, steady);
  cursor.claimed(level, now - 10min);
  EXPECT_TRUE(cursor.start(now, steady).from_head);
}

TEST(Cursor, goes_on_where_an_expensive_look_stopped) {
  Cursor cursor;
  cursor.scanned(cursor.start(now, steady), {50ms, false, now}, steady);
  cursor.claimed(level, now - 10min);
  EXPECT_FALSE(cursor.start(now, steady).from_head);
  EXPECT_EQ(start_of(cursor, steady), now - 10min);
}

TEST(Cursor, trails_by_a_window_for_enqueues_that_commit_late) {
  Cursor cursor;
  cursor.scanned(cursor.start(now, steady), {50ms, false, now}, steady);
  cursor.claimed(level, now);
  EXPECT_EQ(start_of(cursor, steady), now - Cursor::window_max);
}

TEST(Cursor, does_not_walk_again_what_a_look_has_seen_in_vain) {
  Cursor cursor;
  cursor.scanned(cursor.start(now, steady), {50ms, true, now}, steady);
  EXPECT_FALSE(cursor.start(now, steady).from_head);
  EXPECT_EQ(start_of(cursor, steady), now - Cursor::window_max);
}

TEST(Cursor, looks_from_the_head_a_twentieth_of_the_time) {
  Cursor cursor;
  cursor.scanned(cursor.start(now, steady), {200ms, true, now}, steady);
  EXPECT_FALSE(cursor.start(now, steady + 3900ms).from_head);
  EXPECT_TRUE(cursor.start(now, steady + 4100ms).from_head);
}

TEST(Cursor, goes_back_for_jobs_that_a_look_finds_behind_it) {
  Cursor cursor;
  cursor.scanned(cursor.start(now, steady), {50ms, true, now}, steady);
  cursor.reset();
  const auto start = cursor.start(now, steady);
  ASSERT_TRUE(start.from_head);
  cursor.scanned(start, {50ms, false, now}, steady);  // many more are there
  cursor.claimed(level, now - 30min);
  EXPECT_EQ(start_of(cursor, steady), now - 30min);
}

TEST(Cursor, takes_the_cost_of_the_jobs_themselves_for_no_walk) {
  Cursor cursor;
  cursor.scanned(cursor.start(now, steady), {10ms, false, now, 500}, steady);
  EXPECT_TRUE(cursor.start(now, steady).from_head);
}

/// Scans of 500 jobs for `length`, each with `cost`, `each` apart. Returns when they ended.
Cursor::Steady scan_for(Cursor& cursor, Cursor::Steady from, std::chrono::nanoseconds length,
                        std::chrono::nanoseconds cost, std::chrono::nanoseconds each) {
  Cursor::Start trailing;
  trailing.from_head = false;
  auto at = from;
  for (; at < from + length; at += each) cursor.scanned(trailing, {cost, false, now, 500}, at);
  return at;
}

TEST(Cursor, trails_less_where_walking_the_window_takes_more_than_a_twentieth_of_the_time) {
  Cursor cursor;
  auto at = scan_for(cursor, steady + 1h, 1s, 5ms, 10ms);
  EXPECT_EQ(cursor.window(), Cursor::window_max);
  at = scan_for(cursor, at, 2s, 15ms, 20ms);  // ten of them for the walk
  EXPECT_EQ(cursor.window(), Cursor::window_min);
  scan_for(cursor, at, 10s, 5ms, 10ms);
  EXPECT_EQ(cursor.window(), Cursor::window_max);
}

TEST(Cursor, keeps_its_window_while_walking_it_is_rare) {
  Cursor cursor;
  auto at = scan_for(cursor, steady + 1h, 1s, 5ms, 10ms);
  scan_for(cursor, at, 5s, 15ms, 1s);
  EXPECT_EQ(cursor.window(), Cursor::window_max);
}

}  // namespace
}  // namespace holdfast::queue
