#pragma once

#include <span>
#include <vector>

#include "queue/settle.hpp"
#include "worker/backlog.hpp"
#include "worker/open_claims.hpp"

namespace holdfast::worker {

struct Context;

/// Writes answers, and keeps the books of claims with them. Store thread only.
class Settler {
 public:
  Settler(Context& context, OpenClaims& claims, Backlog& backlog)
      : context_(context), claims_(claims), backlog_(backlog) {}

  /// Inside a transaction: settles, and removes the rows of claims whose last job this answers.
  [[nodiscard]] std::vector<queue::Settlement> write(const queue::Settling& settling,
                                                     std::span<const Backlog::Pending> pending);

  /// After its commit. Answers whose row is held go back to the backlog.
  void written(std::vector<Backlog::Pending> pending,
               std::span<const queue::Settlement> settlements);

 private:
  void tell_failure(const queue::Ending& ending);

  Context& context_;
  OpenClaims& claims_;
  Backlog& backlog_;
};

}  // namespace holdfast::worker
