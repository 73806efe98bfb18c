#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "crash/both_databases.hpp"
#include "crash/oracle.hpp"
#include "crash/storm.hpp"
#include "support/campaign.hpp"

namespace holdfast::test {
namespace {

using testing::IsEmpty;

/// HOLDFAST_KILLS raises the number for long campaigns, HOLDFAST_SEED repeats one.
std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr || *text == '\0' ? otherwise : std::strtoull(text, nullptr, 10);
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

using KillStorm = OnBothDatabases;
INSTANTIATE_TEST_SUITE_P(, KillStorm, testing::ValuesIn(databases()), name_of);

TEST_P(KillStorm, loses_no_job_and_doubles_no_effect) {
  const auto begin = std::chrono::steady_clock::now();
  const auto kills = static_cast<int>(
      from_environment("HOLDFAST_KILLS", static_cast<std::uint64_t>(rounds(500, 10'000))));
  const auto seed = from_environment("HOLDFAST_SEED", std::random_device{}());
  Storm storm({.database = database(), .directory = directory(), .seed = seed});

  storm.rage(kills);
  storm.stop_producing();
  const bool all_final =
      eventually([&] { return drained(application()); }, std::chrono::seconds(120));
  storm.stop_working();

  const Account account = take_account(application(), directory());
  std::printf(
      "%s: %d kills, %d pauses, %lld jobs, %lld acknowledged, %lld starts, %lld lost attempts, "
      "%lld lost jobs, %lld doubled effects, %.0f s, HOLDFAST_SEED=%llu\n",
      name_of({GetParam(), 0}).c_str(), storm.kills(), storm.pauses(),
      static_cast<long long>(account.jobs), static_cast<long long>(account.acknowledged),
      static_cast<long long>(account.starts), static_cast<long long>(account.lost_attempts),
      static_cast<long long>(account.lost_jobs), static_cast<long long>(account.doubled_effects),
      seconds_since(begin), static_cast<unsigned long long>(seed));
  EXPECT_TRUE(all_final) << "the drain did not end";
  EXPECT_THAT(storm.surprises(), IsEmpty());
  EXPECT_THAT(account.violations, IsEmpty());
  EXPECT_TRUE(eventually([&] { return storage_faults(application(), GetParam()).empty(); }));
  EXPECT_THAT(storage_faults(application(), GetParam()), IsEmpty());
  // A storm in which nothing happened would prove nothing.
  EXPECT_GT(account.acknowledged, kills / 4);
  EXPECT_GT(account.lost_attempts, 0);
}

}  // namespace
}  // namespace holdfast::test
