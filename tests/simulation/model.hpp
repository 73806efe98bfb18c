#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

/// What a queue should do, as small as it can be said: no database, no threads, times in seconds
/// from the start of a run, jobs by the order in which they were made. It knows nothing of the
/// library, so that a mistake there is not repeated here.
namespace holdfast::test {

enum class End { done, fail, snooze, release, cancel, never, timeout };

class Model {
 public:
  struct Job {
    enum class Where { waiting, running, succeeded, cancelled, quarantined };
    Where where = Where::waiting;
    int key = 0;  ///< 0: none
    int priority = 5;
    long due = 0;
    int max_attempts = 20;
    int attempt = 0;
    int fence = 0;
    int revision = 1;
    int version = 0;                  ///< of the payload
    std::optional<int> next_version;  ///< re-armed
    bool cancel_requested = false;
    int claim = 0;
    int lost_in_a_row = 0;
  };
  struct Lease {
    int job = 0;
    int fence = 0;
    int claim = 0;
  };

  /// Each answers what a caller would see, as text.
  std::string enqueue(int key, int priority, long delay, int max_attempts, int version,
                      bool replace);
  std::string claim(int limit, long lease);
  std::string settle(const Lease& lease, End end, long delay);
  std::string renew(int claim, long lease);
  std::string sweep();
  std::string cancel(int job);
  std::string replay(int job);
  void advance(long seconds) { now_ += seconds; }

  /// Every lease ever given, old ones too.
  [[nodiscard]] const std::vector<Lease>& leases() const { return leases_; }
  [[nodiscard]] int jobs() const { return static_cast<int>(jobs_.size()); }
  [[nodiscard]] int claims() const { return claims_made_; }

  /// All jobs, one line each.
  [[nodiscard]] std::string picture() const;

 private:
  struct Claim {
    long until = 0;
    bool lost = false;
  };
  [[nodiscard]] int holder_of(int key) const;
  void leave(Job& job);
  void end_attempt(Job& job, End end, long delay, bool lost);
  void wait_again(Job& job, long delay);

  long now_ = 0;
  std::vector<Job> jobs_;
  std::vector<Lease> leases_;
  std::map<int, Claim> claims_;
  int claims_made_ = 0;
};

/// min(n^4, a day) seconds, the default back-off without its jitter.
[[nodiscard]] long backoff_seconds(int attempt);

}  // namespace holdfast::test
