#pragma once

#include <condition_variable>
#include <mutex>
#include <vector>

#include "queue/settle.hpp"
#include "worker/steady.hpp"

namespace holdfast::worker {

/// An attempt that ended. `written`: its settle is in the database already (done_in), and only the
/// claim's book-keeping is left.
struct Answer {
  queue::Ending ending;
  bool written = false;
};

/// What the store thread waits for: attempts that ended, and reasons to look for work.
class Inbox {
 public:
  /// Any thread, also one whose handler returned after the worker is gone.
  void hand_in(Answer answer);

  /// A thread ran out of work: whatever has ended should be written now, and jobs be claimed.
  void hurry();

  /// There may be new work: look for it now.
  void wake();

  struct Mail {
    std::vector<Answer> answers;
    bool woken = false;
  };

  /// Waits for any of these, until `until` at most. True when there is mail. Store thread only.
  bool wait(Steady until);

  /// Lets answers gather for a moment, unless somebody is in a hurry.
  void wait_for_company(Duration moment);

  [[nodiscard]] Mail take();

  [[nodiscard]] bool empty() const;

 private:
  mutable std::mutex mutex_;  // guards all below
  std::condition_variable changed_;
  std::vector<Answer> answers_;
  bool hurried_ = false;
  bool woken_ = false;
};

}  // namespace holdfast::worker
