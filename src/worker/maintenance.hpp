#pragma once

#include <stop_token>

#include "queue/policy.hpp"
#include "worker/link.hpp"

namespace holdfast::worker {

struct Context;

/// The thread that keeps house: sweeps leases that ran out (of all workers), reads the contracts of
/// queues and kinds again, says that this worker is there, and makes history's days ahead.
class Maintenance {
 public:
  explicit Maintenance(Context& context);

  /// What must have happened before the first claim: tells the tables about this worker and its
  /// kinds, and reads theirs. Waits for a database that is away. False when the worker was told to
  /// stop before that.
  [[nodiscard]] bool prepare();

  void run(const std::stop_token& stop);

 private:
  [[nodiscard]] Duration interval() const;
  void step();
  void announce(db::Connection& connection);
  void read_contracts(db::Connection& connection);
  void notice_jump(db::Connection& connection);
  void sweep(db::Connection& connection);
  [[nodiscard]] bool lock_is_free(db::Connection& connection);
  [[nodiscard]] bool may_judge(db::Connection& connection);
  void wait_for_renewals();
  void say_alive(db::Connection& connection);
  void do_hourly(db::Connection& connection);

  Context& context_;
  Link link_;
  Steady sweep_from_{};      ///< nothing is judged before that
  Steady together_until_{};  ///< until then, leases that run out together have had their chance
  Steady trouble_told_at_{};
  Steady seen_at_{};
  Steady clock_at_{};
  queue::House::Claims claims_ = queue::House::Claims::none;
  Steady hourly_at_{};
};

}  // namespace holdfast::worker
