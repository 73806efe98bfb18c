#include <gtest/gtest.h>

#include <string_view>

#include "crash/agent.hpp"

/// The tests, or, started by one of them, one of the processes that they kill.
int main(int count, char** arguments) {
  if (count > 1 && std::string_view(arguments[1]) == holdfast::test::agent_argument) {
    return holdfast::test::run_agent(count - 2, arguments + 2);
  }
  testing::InitGoogleTest(&count, arguments);
  return RUN_ALL_TESTS();
}
