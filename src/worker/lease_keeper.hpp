#pragma once

#include <stop_token>

#include "worker/link.hpp"
#include "worker/open_claims.hpp"

namespace holdfast::worker {

/// The thread that renews leases, each third of their length, and asks which jobs are to be
/// cancelled. It has a connection that nothing else uses, and waits for no handler and no claim.
class LeaseKeeper {
 public:
  LeaseKeeper(Context& context, OpenClaims& claims);

  void run(const std::stop_token& stop);

 private:
  void step();
  void renew(db::Connection& connection);
  void tell_lost(std::int64_t claim);
  void watch_cancels(db::Connection& connection);
  [[nodiscard]] Duration cancel_interval() const;

  Context& context_;
  OpenClaims& claims_;
  Link link_;
  Steady cancels_at_{};
};

}  // namespace holdfast::worker
