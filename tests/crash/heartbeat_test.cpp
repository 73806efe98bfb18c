#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <list>
#include <string>
#include <thread>
#include <vector>

#include "crash/append_log.hpp"
#include "crash/both_databases.hpp"
#include "crash/child.hpp"
#include "support/campaign.hpp"

namespace holdfast::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

class Heartbeat : public OnBothDatabases {
 protected:
  std::int64_t latest_lease() {
    return application().number("select coalesce(max(lease_until), 0) from " +
                                application().queue("claims"));
  }

  /// Times between two renewals that the database shows, over `length`.
  std::vector<milliseconds> gaps(milliseconds length) {
    std::vector<milliseconds> gaps;
    std::int64_t lease = latest_lease();
    const auto end = steady_clock::now() + length;
    auto renewed = steady_clock::now();
    bool first = true;  // the time before the first one seen is not known
    while (steady_clock::now() < end) {
      std::this_thread::sleep_for(milliseconds(2));
      const std::int64_t now = latest_lease();
      if (now == lease) continue;
      lease = now;
      const auto at = steady_clock::now();
      if (!first) gaps.push_back(std::chrono::duration_cast<milliseconds>(at - renewed));
      first = false;
      renewed = at;
    }
    return gaps;
  }
};
INSTANTIATE_TEST_SUITE_P(, Heartbeat, testing::ValuesIn(databases()), name_of);

// Case 05 a, b.
TEST_P(Heartbeat, comes_each_third_of_the_lease_however_busy_handlers_and_machine_are) {
  constexpr int handlers = 4;
  AgentOptions options = worker("spinner");
  options.threads = handlers;
  options.lease_ms = 2000;
  std::list<Child> load;
  for (int i = 0; i < 2; ++i) load.emplace_back(AgentOptions{.role = "burn", .name = "load"});
  const Store store = open_store(database());
  (void)store.enqueue(
      std::vector<NewJob>(handlers, NewJob{.kind = "spin_then_effect", .payload = "spin"}));
  Child spinner(options);
  ASSERT_TRUE(eventually([&] { return read_log(log(start_log)).size() == handlers; }));

  std::vector<milliseconds> seen = gaps(std::chrono::seconds(rounds(6, 30)));
  ASSERT_GE(seen.size(), 5U);
  std::sort(seen.begin(), seen.end());
  EXPECT_LE(seen.at(seen.size() * 999 / 1000), milliseconds(options.lease_ms / 3))
      << "longest " << seen.back().count() << " ms";

  AppendLog(log(go_file(1))).append("go");
  EXPECT_TRUE(
      eventually([&] { return application().number("select count(*) from effects") == handlers; }));
  spinner.signal(SIGTERM);
  EXPECT_EQ(spinner.wait(), 0);
  EXPECT_EQ(read_log(log(start_log)).size(), static_cast<std::size_t>(handlers));
}

}  // namespace
}  // namespace holdfast::test
