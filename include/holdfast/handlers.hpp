#pragma once

#include <concepts>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "holdfast/codec.hpp"
#include "holdfast/job.hpp"
#include "holdfast/outcome.hpp"
#include "holdfast/retry_policy.hpp"
#include "holdfast/run.hpp"
#include "holdfast/session.hpp"

namespace holdfast {

/// Works one attempt. What it throws becomes `retry(what())`; Undecodable becomes `data`.
using Handler = std::function<Outcome(Run&)>;

/// Runs inside the transaction that makes a job final, on the thread that settles or sweeps: keep
/// it short, write through the Session only (a Store would wait for the same lock on SQLite). When
/// it throws, what it wrote is rolled back and the job does not become final: the hook is tried
/// again later with a back-off of its own. When it gives its own job a newer intent (the same
/// unique key with `replace`), its work stands and the job runs again. A job that was re-armed
/// before its attempt ended does not become final, and no hook runs.
using Hook = std::function<void(Session&, const JobRow&)>;

/// What a program knows about one kind of job. Setters return *this, to be chained.
class Kind {
 public:
  explicit Kind(Handler handler) : handler_(std::move(handler)) {}

  Kind& on_success(Hook hook);
  Kind& on_quarantine(Hook hook);
  Kind& on_cancel(Hook hook);

  /// Back-off and attempts for jobs of this kind that say nothing else. Throws Error(invalid).
  Kind& retry(RetryPolicy policy);

  /// Time limit of one attempt for jobs of this kind that say nothing else: 1 ms to a year. Throws
  /// Error(invalid).
  Kind& timeout(Duration limit);

  [[nodiscard]] const Handler& handler() const noexcept { return handler_; }
  [[nodiscard]] const Hook& success_hook() const noexcept { return on_success_; }
  [[nodiscard]] const Hook& quarantine_hook() const noexcept { return on_quarantine_; }
  [[nodiscard]] const Hook& cancel_hook() const noexcept { return on_cancel_; }
  [[nodiscard]] bool has_hooks() const noexcept;
  [[nodiscard]] const std::optional<RetryPolicy>& retry() const noexcept { return retry_; }
  [[nodiscard]] const std::optional<Duration>& timeout() const noexcept { return timeout_; }

 private:
  Handler handler_;
  Hook on_success_;
  Hook on_quarantine_;
  Hook on_cancel_;
  std::optional<RetryPolicy> retry_;
  std::optional<Duration> timeout_;
};

/// The kinds a worker can run. Filled before the worker starts, which takes a copy.
class Handlers {
 public:
  /// Registers a handler for raw payloads. Throws Error(misuse) for a kind that has one already,
  /// Error(invalid) for a name the table would refuse.
  Kind& on(std::string kind, Handler handler);

  /// Registers a handler for a typed job: called as f(job, run) or f(job).
  template <Job T, class F>
  Kind& on(F f) {
    return on(std::string(Codec<T>::kind), [f = std::move(f)](Run& run) -> Outcome {
      const T job = Codec<T>::decode(run.job().payload);
      if constexpr (std::invocable<const F&, const T&, Run&>) {
        return f(job, run);
      } else {
        return f(job);
      }
    });
  }

  [[nodiscard]] const Kind* find(std::string_view kind) const;
  [[nodiscard]] std::vector<std::string> names() const;
  [[nodiscard]] bool empty() const noexcept { return kinds_.empty(); }

 private:
  std::map<std::string, Kind, std::less<>> kinds_;
};

}  // namespace holdfast
