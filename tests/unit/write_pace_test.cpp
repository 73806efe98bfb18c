#include "db/write_pace.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace holdfast::db {
namespace {

using namespace std::chrono_literals;
using Steady = WritePace::Steady;
using Length = WritePace::Length;

/// One process that takes the lock whenever its pace lets it, at a time that the test moves.
class Writer {
 public:
  /// Uses the lock for `held`, as soon as it may. Returns how long it paused before.
  Length write(Length held, WritePace::Found found = {}) {
    const Length paused = std::max(Length{}, resume_ - now);
    now += paused + found.waited;
    pace.begun(now, found);
    now += held;
    resume_ = pace.ended(now);
    used += held;
    return paused;
  }

  /// Past the first moments, with nobody else there.
  void settle_in() {
    write(100us);
    now += 1s;
    used = {};
  }

  WritePace pace;
  Steady now{1h};
  Length used{};

 private:
  Steady resume_{};
};

constexpr WritePace::Found others{.others_wrote = true};

TEST(WritePace, leaves_the_lock_as_long_as_it_was_used_while_others_write) {
  Writer writer;
  const Steady began = writer.now;
  for (int i = 0; i < 100; ++i) writer.write(5ms, others);
  const Length passed = writer.now - began;
  EXPECT_GE(passed, 2 * writer.used - 5ms);
  EXPECT_LE(passed, 2 * writer.used + 5ms);
}

TEST(WritePace, time_that_was_left_anyway_needs_no_pause) {
  Writer writer;
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(writer.write(2ms, others), 0ms);
    writer.now += 2ms;
  }
}

TEST(WritePace, many_tiny_transactions_share_a_pause) {
  Writer writer;
  writer.write(100us, others);
  int pauses = 0;
  for (int i = 0; i < 100; ++i) {
    const Length paused = writer.write(100us, others);
    if (paused > 0ms) ++pauses;
    EXPECT_TRUE(paused == 0ms || paused >= WritePace::pause_least);
  }
  EXPECT_NEAR(pauses, 10, 2);
}

TEST(WritePace, goes_on_at_full_speed_when_the_others_have_stopped) {
  Writer writer;
  writer.write(5ms, others);
  writer.write(5ms, others);
  const Steady stopped = writer.now;
  while (writer.now < stopped + WritePace::memory + 10ms) writer.write(5ms);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(writer.write(5ms), 0ms);
}

TEST(WritePace, one_commit_alone_is_remembered_for_a_moment_only) {
  Writer writer;
  writer.settle_in();
  writer.write(5ms, others);
  const Steady seen = writer.now;
  EXPECT_GT(writer.write(5ms), 0ms);
  while (writer.now < seen + WritePace::memory_of_one + 10ms) writer.write(5ms);
  EXPECT_EQ(writer.write(5ms), 0ms);
}

TEST(WritePace, starts_politely_before_it_knows_who_is_there) {
  Writer writer;
  writer.write(5ms);
  EXPECT_EQ(writer.write(5ms), 5ms);
}

// The built-in back-off asks at least each 100 ms and gives up after five seconds.
TEST(WritePace, alone_it_lets_a_newcomer_in_before_that_gives_up_and_loses_three_percent_at_most) {
  Writer writer;
  writer.settle_in();
  const Steady began = writer.now;
  Steady last_pause = began;
  Length paused_in_all{};
  while (writer.now < began + 60s) {
    const Length paused = writer.write(5ms);
    paused_in_all += paused;
    if (paused == 0ms) continue;
    EXPECT_GT(paused, 100ms);
    EXPECT_LT(writer.now - last_pause, 4500ms);
    last_pause = writer.now;
  }
  EXPECT_GT(last_pause, began + 55s);
  EXPECT_LT(paused_in_all, (writer.now - began) * 3 / 100);
}

TEST(WritePace, alone_it_never_pauses_when_it_lets_go_of_the_lock_often) {
  Writer writer;
  writer.settle_in();
  for (int i = 0; i < 5000; ++i) {
    EXPECT_EQ(writer.write(4ms), 0ms);
    writer.now += 1ms;
  }
}

TEST(WritePace, takes_less_where_it_has_to_wait_long_and_more_again_where_it_does_not) {
  Writer writer;
  writer.write(5ms, others);
  for (int i = 0; i < 10; ++i) writer.write(5ms, {.others_wrote = true, .waited = 20ms});
  const Length crowded = writer.write(5ms, others);
  EXPECT_GT(crowded, 25ms);
  for (int i = 0; i < 30; ++i) writer.write(5ms, others);
  EXPECT_EQ(writer.write(5ms, others), 5ms);
}

TEST(WritePace, a_short_wait_for_one_neighbours_commit_costs_little) {
  Writer writer;
  writer.write(5ms, others);
  for (int i = 0; i < 4; ++i) {
    writer.write(5ms, {.others_wrote = true, .waited = 500us});
    writer.write(5ms, others);
  }
  EXPECT_LT(writer.write(5ms, others), 6ms);
}

TEST(WritePace, no_pause_is_longer_than_a_second) {
  Writer writer;
  for (int i = 0; i < 100; ++i) writer.write(200ms, {.others_wrote = true, .waited = 2s});
  EXPECT_LE(writer.write(5ms, others), WritePace::pause_max);
}

}  // namespace
}  // namespace holdfast::db
