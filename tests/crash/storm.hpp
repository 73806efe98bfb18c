#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "crash/agent.hpp"
#include "crash/child.hpp"

namespace holdfast::test {

/// Producers and workers, and kill -9 among them: a random one after 2-60 ms, sometimes all, and
/// one restart in ten is killed again at once, while it recovers. Now and then a worker is not
/// killed but stands still for longer than its lease, and comes back as if nothing had happened.
class Storm {
 public:
  struct Plan {
    std::string database;
    std::string directory;
    int producers = 2;
    int workers = 3;
    std::uint64_t seed = 1;  ///< of whom to kill and when; the rest is up to the machine
  };

  explicit Storm(Plan plan);

  /// Kills `kills` times and restarts whoever was killed.
  void rage(int kills);

  /// Ends the producers; the workers go on.
  void stop_producing();

  /// SIGTERM for the workers; they must leave with exit code 0.
  void stop_working();

  [[nodiscard]] int kills() const noexcept { return kills_; }
  [[nodiscard]] int pauses() const noexcept { return pauses_; }

  /// Ends that nobody caused, as sentences. Must stay empty.
  [[nodiscard]] const std::vector<std::string>& surprises() const noexcept { return surprises_; }

 private:
  /// One process of the cast: it dies and is started again under a new name.
  struct Part {
    std::string role;
    std::string name;
    int starts = 0;
    std::optional<Child> child = {};
    std::optional<std::chrono::steady_clock::time_point> goes_on_at = {};  ///< it stands still
  };

  void start(Part& part);
  void kill(Part& part);
  void strike(Part& part);
  void pause(Part& part);
  void wake_the_paused(bool all);
  Part& anybody();
  int between(int least, int most);

  Plan plan_;
  std::mt19937_64 random_;
  std::vector<Part> parts_;
  int kills_ = 0;
  int pauses_ = 0;
  std::vector<std::string> surprises_;
};

}  // namespace holdfast::test
