#pragma once

#include <functional>
#include <optional>

#include "holdfast/outcome.hpp"
#include "holdfast/session.hpp"
#include "queue/settle.hpp"
#include "worker/lending.hpp"

namespace holdfast::detail {
class Attempt;
}

namespace holdfast::worker {

struct Context;

/// Completes jobs together with what their handlers write: Run::done_in. Any thread.
class Completions {
 public:
  using Effect = std::function<void(Session&)>;

  /// At most so many connections of its own; with none, complete() throws Error(misuse).
  Completions(db::Database& database, int connections_max)
      : connections_max_(connections_max), lending_(database, connections_max) {}

  /// Runs `effect` and settles the attempt in one transaction; see Run::done_in.
  [[nodiscard]] Settled complete(Context& context, const detail::Attempt& attempt,
                                 const Effect& effect);

 private:
  const int connections_max_;
  Lending lending_;
};

}  // namespace holdfast::worker
