#include "db/write_gate.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "support/thrown.hpp"

namespace holdfast::db {
namespace {

using namespace std::chrono_literals;

void wait_for_waiting(const WriteGate& gate, std::size_t count) {
  while (gate.waiting() < count) std::this_thread::yield();
}

/// Starts a thread that writes its name into `order` once it is in.
std::jthread enter_as(WriteGate& gate, Lane lane, char name, std::string& order) {
  return std::jthread([&gate, lane, name, &order] {
    ASSERT_TRUE(gate.enter(lane, 30s));
    order += name;
    gate.leave();
  });
}

TEST(WriteGate, keeper_goes_before_those_who_wait_and_they_keep_their_order) {
  WriteGate gate;
  std::string order;
  ASSERT_TRUE(gate.enter(Lane::normal, 30s));
  {
    const auto first = enter_as(gate, Lane::normal, '1', order);
    wait_for_waiting(gate, 1);
    const auto second = enter_as(gate, Lane::normal, '2', order);
    wait_for_waiting(gate, 2);
    const auto keeper = enter_as(gate, Lane::keeper, 'k', order);
    wait_for_waiting(gate, 3);
    gate.leave();
  }
  EXPECT_EQ(order, "k12");
}

TEST(WriteGate, gives_up_after_the_limit_and_leaves_the_line) {
  WriteGate gate;
  ASSERT_TRUE(gate.enter(Lane::normal, 30s));
  std::jthread([&] { EXPECT_FALSE(gate.enter(Lane::keeper, 5ms)); }).join();
  EXPECT_EQ(gate.waiting(), 0U);
  gate.leave();
  EXPECT_TRUE(gate.enter(Lane::normal, 0ms));
  gate.leave();
}

TEST(WriteGate, lets_one_in_at_a_time) {
  WriteGate gate;
  std::atomic<int> inside{0};
  std::atomic<int> together{0};
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&] {
        for (int turn = 0; turn < 500; ++turn) {
          ASSERT_TRUE(gate.enter(turn % 5 == 0 ? Lane::keeper : Lane::normal, 30s));
          if (inside.fetch_add(1) != 0) ++together;
          inside.fetch_sub(1);
          gate.leave();
        }
      });
    }
  }
  EXPECT_EQ(together, 0);
}

TEST(WriteGate, keeps_all_but_the_keeper_out_until_the_rest_is_over) {
  WriteGate gate;
  ASSERT_TRUE(gate.enter(Lane::normal, 30s));
  const auto rest_until = std::chrono::steady_clock::now() + 200ms;
  gate.leave(rest_until);
  std::string order;
  {
    const auto first = enter_as(gate, Lane::normal, '1', order);
    wait_for_waiting(gate, 1);
    enter_as(gate, Lane::keeper, 'k', order).join();
  }
  EXPECT_EQ(order, "k1");
  EXPECT_GE(std::chrono::steady_clock::now(), rest_until);
}

TEST(WriteGate, one_who_gives_up_during_a_rest_does_not_keep_the_next_from_its_turn) {
  WriteGate gate;
  ASSERT_TRUE(gate.enter(Lane::normal, 30s));
  gate.leave(std::chrono::steady_clock::now() + 100ms);
  std::string order;
  std::jthread impatient([&] { EXPECT_FALSE(gate.enter(Lane::normal, 20ms)); });
  wait_for_waiting(gate, 1);
  enter_as(gate, Lane::normal, '2', order).join();
  EXPECT_EQ(order, "2");
}

TEST(WriteGate, tells_a_thread_that_would_wait_for_itself) {
  WriteGate gate;
  ASSERT_TRUE(gate.enter(Lane::normal, 1ms));
  EXPECT_EQ(test::code_thrown_by([&] { (void)gate.enter(Lane::normal, 1ms); }), Code::misuse);
  gate.leave();
  EXPECT_TRUE(gate.enter(Lane::normal, 1ms));
  gate.leave();
}

}  // namespace
}  // namespace holdfast::db
