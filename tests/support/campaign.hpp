#pragma once

#include <cstdlib>
#include <string_view>

namespace holdfast::test {

/// How often a test repeats what only many repeats would find: `sample` in a test run, `campaign`
/// when HOLDFAST_CAMPAIGN=1 asks for the long form (`make campaign`).
[[nodiscard]] inline int rounds(int sample, int campaign) {
  const char* asked = std::getenv("HOLDFAST_CAMPAIGN");
  return asked != nullptr && std::string_view(asked) == "1" ? campaign : sample;
}

}  // namespace holdfast::test
