#include "worker/runner.hpp"

#include "worker/attempt.hpp"
#include "worker/context.hpp"
#include "worker/ending.hpp"

namespace holdfast::worker {

std::optional<Duration> run_attempt(Context& context, const AttemptPtr& attempt) {
  const Kind* kind = context.handlers.find(attempt->job().kind);
  const bool entered = kind != nullptr && context.floor.enter(attempt, attempt->alone());
  if (!entered || !attempt->start()) {
    attempt->hand_back();
    context.floor.leave(*attempt);
    return std::nullopt;
  }
  const Steady began = steady_now();
  Run run(attempt);
  auto happened = call(kind->handler(), run);
  const auto ran = std::chrono::duration_cast<Duration>(steady_now() - began);
  attempt->returned(std::move(happened));
  return ran;
}

}  // namespace holdfast::worker
