#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "crash/application.hpp"

namespace holdfast::test {

/// The account after a storm that has been drained: from the database, and from the logs that the
/// killed processes wrote outside it.
struct Account {
  std::int64_t jobs = 0;
  std::int64_t acknowledged = 0;
  std::int64_t starts = 0;
  std::int64_t lost_attempts = 0;  ///< taken over from the dead: expected
  std::int64_t lost_jobs = 0;      ///< acknowledged, and not in exactly one final state
  std::int64_t doubled_effects = 0;

  /// Every broken promise as a sentence; empty is what the storm is for.
  std::vector<std::string> violations = {};
};

/// True when no job is live and no claim is left.
[[nodiscard]] bool drained(Application& application);

[[nodiscard]] Account take_account(Application& application, const std::string& directory);

/// Damage, forgotten transactions, forgotten locks: what is wrong below the tables.
[[nodiscard]] std::vector<std::string> storage_faults(Application& application, Dialect dialect);

}  // namespace holdfast::test
