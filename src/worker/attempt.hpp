#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "holdfast/job.hpp"
#include "holdfast/outcome.hpp"
#include "holdfast/session.hpp"
#include "holdfast/stop_token.hpp"
#include "queue/settle.hpp"
#include "worker/steady.hpp"

namespace holdfast::worker {
struct Context;
}

namespace holdfast::detail {

/// One attempt of one job in this process, shared by the thread that runs it, its settle handle and
/// the watchdog.
///
///   buffered ──start──► in_handler ──handler returned──► gone
///      │                  │    └─────returned deferred──► deferred ──handle answered──► gone
///      └──not started──►  └──given up──► gone                └──given up──► gone
///
/// Invariants:
///  1. Exactly one party answers; what comes later is dropped. The answer goes to the inbox.
///  2. An attempt that started leaves the floor when its handler has returned and it is answered,
///  or
///     when it is given up.
///  3. Nothing is called with the mutex held that leads out of this class.
class Attempt : public std::enable_shared_from_this<Attempt> {
 public:
  /// What is known when the claim is committed.
  struct Claimed {
    JobRow job = {};
    std::string idempotency_key = {};
    std::optional<Duration> limit = {};  ///< of time, for the handler
    bool alone = false;                  ///< a suspect
    Time claimed_at = {};                ///< the same moment by two clocks
    worker::Steady claimed_steady = {};
  };

  Attempt(std::shared_ptr<worker::Context> context, Claimed claimed);

  [[nodiscard]] const JobRow& job() const noexcept { return claimed_.job; }
  [[nodiscard]] const std::string& idempotency_key() const noexcept {
    return claimed_.idempotency_key;
  }
  [[nodiscard]] queue::Lease lease() const { return queue::lease_of(claimed_.job); }
  [[nodiscard]] bool alone() const noexcept { return claimed_.alone; }
  [[nodiscard]] stop_token stop() const { return stop_.get_token(); }
  [[nodiscard]] bool cancel_requested() const noexcept { return cancel_requested_; }

  /// The settle that `happened` asks for.
  [[nodiscard]] queue::Ending ending(queue::Happened happened) const;

  // The thread that has it.

  /// False when it was told to stop while it waited: hand it back then.
  [[nodiscard]] bool start();

  /// It was not started, and ends with `happened`, or is handed back without blame.
  void end_unstarted(queue::Happened happened);
  void hand_back();

  /// The handler returned; nothing: it will answer through the settle handle.
  void returned(std::optional<queue::Happened> happened);

  /// See Run::done_in.
  [[nodiscard]] Settled done_in(const std::function<void(Session&)>& effect);

  // The settle handle, any thread.

  void take_handle();
  void handle_settled(queue::Happened happened);
  void handle_dropped();

  // Those who watch.

  enum class Stop { none, timeout, cancel, lease, shutdown };

  /// Asks the stopper to raise the stop token; the first reason counts.
  void raise(Stop why);

  /// Raises it, and runs what the application has hung on it. The stopper only.
  void call_stop_callbacks() { stop_.request_stop(); }

  void request_cancel();

  /// When its time limit wants attention next, and what is to be done now.
  enum class Overdue { no, stop, give_up };
  [[nodiscard]] worker::Steady next_check() const;
  [[nodiscard]] Overdue overdue(worker::Steady now) const;

  /// Answers in its place. True when its handler has not returned: its thread is lost.
  [[nodiscard]] bool give_up(queue::Happened happened);

  /// Nobody has answered yet.
  [[nodiscard]] bool open() const;

 private:
  enum class Place { buffered, in_handler, deferred, gone };

  [[nodiscard]] bool claim_answer();
  void hand_in(queue::Happened happened, bool written = false) const;
  [[nodiscard]] queue::Happened as_it_stands(queue::Happened happened) const;

  const std::shared_ptr<worker::Context> context_;
  const Claimed claimed_;
  stop_source stop_;
  std::atomic<bool> cancel_requested_ = false;

  mutable std::mutex mutex_;  // guards all below
  Place place_ = Place::buffered;
  Stop stop_reason_ = Stop::none;
  bool answered_ = false;
  bool completed_ = false;  ///< by done_in
  bool in_doubt_ = false;   ///< a commit of done_in was not answered
  bool handle_taken_ = false;
  bool handle_dropped_ = false;
  worker::Steady started_{};
};

}  // namespace holdfast::detail
