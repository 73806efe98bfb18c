#include "holdfast/outcome.hpp"

#include <utility>

namespace holdfast {

Outcome done() { return {}; }

Outcome retry(std::string reason, FailureClass failure, std::optional<Duration> delay) {
  return {Outcome::What::retry, std::move(reason), failure, delay};
}

Outcome snooze(Duration delay) {
  return {Outcome::What::snooze, {}, FailureClass::application, delay};
}

Outcome cancel(std::string reason) {
  return {Outcome::What::cancel, std::move(reason), FailureClass::application, {}};
}

Outcome quarantine(std::string reason, FailureClass failure) {
  return {Outcome::What::quarantine, std::move(reason), failure, {}};
}

Outcome deferred() { return {Outcome::What::deferred, {}, FailureClass::application, {}}; }

std::string_view to_string(Settled settled) {
  switch (settled) {
    case Settled::settled: return "settled";
    case Settled::already_settled: return "already_settled";
    case Settled::lease_lost: return "lease_lost";
  }
  return "unknown";
}

}  // namespace holdfast
