#pragma once

#include <memory>
#include <stop_token>
#include <vector>

#include "worker/crew.hpp"
#include "worker/open_claims.hpp"

namespace holdfast::worker {

struct Context;

/// The thread that watches the time: of attempts that run too long, and of leases that could not be
/// renewed. It never talks to a database, so it is on time also when the database is not.
class Watchdog {
 public:
  Watchdog(Context& context, OpenClaims& claims, std::vector<std::shared_ptr<Crew>> crews)
      : context_(context), claims_(claims), crews_(std::move(crews)) {}

  void run(const std::stop_token& stop);

 private:
  void step();
  void watch(detail::Attempt& attempt);
  void give_up(detail::Attempt& attempt);

  Context& context_;
  OpenClaims& claims_;
  const std::vector<std::shared_ptr<Crew>> crews_;
};

/// Gives up on a handler that does not return: the attempt ends with `happened`, its thread is let
/// go and its name kept for the report. A deferred attempt has no thread to lose.
void abandon(Context& context, const std::vector<std::shared_ptr<Crew>>& crews,
             detail::Attempt& attempt, queue::Happened happened, bool replace);

}  // namespace holdfast::worker
