#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <vector>

#include "base/bell.hpp"
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

  /// A job was enqueued in this process: wakes the store thread if it waits for work.
  void knock();

  struct Mail {
    std::vector<Answer> answers;
    bool woken = false;
    bool knocked = false;
  };

  /// Waits for any of these, until `until` at most; for a knock only if it `wants_work`. True when
  /// there is mail. Store thread only.
  bool wait(Steady until, bool wants_work = true);

  /// Waits for any of these, and until `descriptor` can be read. Returns when one of the three has
  /// happened, and may before. Throws std::system_error when there is no descriptor left for it.
  bool wait_beside(int descriptor, Steady until, bool wants_work);

  /// Lets answers gather for a moment, unless somebody is in a hurry.
  void wait_for_company(Duration moment);

  [[nodiscard]] Mail take();

  [[nodiscard]] bool empty() const;

 private:
  void notify();
  [[nodiscard]] bool has_mail() const;

  mutable std::mutex mutex_;  // guards all below
  std::condition_variable changed_;
  std::optional<base::Bell> bell_;  ///< made when it is first needed
  std::vector<Answer> answers_;
  bool hurried_ = false;
  bool woken_ = false;
  bool knocked_ = false;
  bool wants_work_ = false;  ///< the store thread waits, and a knock is a reason to wake it
  bool beside_ = false;      ///< it waits for a descriptor, where only the bell reaches it
};

}  // namespace holdfast::worker
