#pragma once

#include <optional>
#include <string>

#include "holdfast/job.hpp"
#include "holdfast/time.hpp"

namespace holdfast {

/// How an attempt ended, as its handler decides. Made by the functions below.
struct Outcome {
  enum class What { done, retry, snooze, cancel, quarantine, deferred };
  What what = What::done;
  std::string reason = {};
  FailureClass failure = FailureClass::application;
  std::optional<Duration> delay = {};
};

/// The job succeeded.
[[nodiscard]] Outcome done();

/// The attempt failed; run it again after the policy's back-off, or after `delay` if given. Uses
/// an attempt: when they are used up the job goes to quarantine.
[[nodiscard]] Outcome retry(std::string reason, FailureClass failure = FailureClass::application,
                            std::optional<Duration> delay = std::nullopt);

/// Not now: run it again after `delay`. No failure, and the attempt is given back.
[[nodiscard]] Outcome snooze(Duration delay);

/// The job is not wanted any more: ends it as cancelled.
[[nodiscard]] Outcome cancel(std::string reason);

/// The job can never succeed: puts it before a person at once.
[[nodiscard]] Outcome quarantine(std::string reason, FailureClass failure = FailureClass::data);

/// The handler took a settle handle (Run::defer) and will answer through it later.
[[nodiscard]] Outcome deferred();

/// The answer to a settle.
enum class Settled {
  settled,          ///< written
  already_settled,  ///< this very lease had settled before (an answer was lost)
  lease_lost,       ///< another attempt has the job, or it is final: nothing was changed
};
[[nodiscard]] std::string_view to_string(Settled settled);

}  // namespace holdfast
