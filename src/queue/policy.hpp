#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "holdfast/handlers.hpp"
#include "holdfast/retry_policy.hpp"
#include "store/statements.hpp"

namespace holdfast::queue {

/// The longest lease that a worker takes, whatever it is told.
inline constexpr std::chrono::hours lease_max{24};

struct House;

/// What is known about jobs that say nothing themselves: by kind, then by queue, then the defaults.
/// Read from the tables as one snapshot; immutable afterwards, so that threads may share it.
class Policies {
 public:
  /// Reads the contracts of queues and what workers said about kinds.
  [[nodiscard]] static Policies read(store::Access access);

  /// The same, and how the leases stand at `now`, in one statement.
  [[nodiscard]] static House read_house(store::Access access, Time now);

  /// Back-off and attempts for a job: its own max_attempts wins over every policy's.
  [[nodiscard]] RetryPolicy retry(const JobRow& job) const;

  /// Time limit of one attempt, or none.
  [[nodiscard]] std::optional<Duration> timeout(const JobRow& job) const;

  /// The lease that a queue's contract asks for, or `usual`.
  [[nodiscard]] Duration lease(std::string_view queue, Duration usual) const;

  /// The longest one that any queue has; `usual` where a contract says nothing.
  [[nodiscard]] Duration longest_lease(Duration usual) const;

  /// True when some program said that it has hooks for this kind.
  [[nodiscard]] bool has_hooks(std::string_view kind) const;

 private:
  /// The columns that queues and kinds share.
  struct Rule {
    std::optional<Duration> lease = {};
    std::optional<Duration> timeout = {};
    std::optional<RetryPolicy> retry = {};
    std::optional<int> max_attempts = {};
    bool has_hooks = false;
  };
  using Rules = std::map<std::string, Rule, std::less<>>;

  [[nodiscard]] static const Rule* find(const Rules& rules, std::string_view name);
  [[nodiscard]] static Rule read_rule(const Row& row, int first_column);
  void take_queue(const Row& row);
  void take_kind(const Row& row);

  Rules queues_;
  Rules kinds_;
};

/// What a worker asks about regularly.
struct House {
  enum class Claims { none, running, expired };
  Policies policies = {};
  Claims claims = Claims::none;  ///< of all workers; `expired`: some have to be swept
};

/// Tells the tables what this program knows about its kinds.
void write_kinds(store::Access access, const Handlers& handlers, std::string_view worker, Time now);

}  // namespace holdfast::queue
