#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "holdfast/job.hpp"
#include "holdfast/outcome.hpp"
#include "holdfast/session.hpp"
#include "holdfast/stop_token.hpp"

namespace holdfast {

namespace detail {
class Attempt;
}

/// Settles an attempt from any thread, at any time after its handler returned `deferred()`.
/// Move-only. Dropping it without an answer fails the attempt with a reason that says so.
class Deferred {
 public:
  explicit Deferred(std::shared_ptr<detail::Attempt> attempt);
  Deferred(Deferred&&) noexcept = default;
  Deferred& operator=(Deferred&& other) noexcept;
  ~Deferred();

  /// Hands in the outcome; `deferred()` is refused with Error(misuse), and so is a second call.
  /// Does not wait for the database: the worker writes it with its next batch. When the lease is
  /// lost meanwhile, the outcome is dropped by the fence and nothing is changed.
  void settle(Outcome outcome);

  /// Raised when the attempt should end: timeout, cancel, shutdown, a lease that is gone.
  [[nodiscard]] stop_token stop() const;

 private:
  std::shared_ptr<detail::Attempt> attempt_;
};

/// One attempt, as its handler sees it. Used by the handler's thread only.
class Run {
 public:
  explicit Run(std::shared_ptr<detail::Attempt> attempt);

  [[nodiscard]] const JobRow& job() const;
  [[nodiscard]] int attempt() const { return job().attempt; }
  [[nodiscard]] std::int64_t fence() const { return job().fence; }
  [[nodiscard]] std::int64_t claim_id() const { return *job().claim_id; }

  /// `<origin>:<id>:<revision>`: the same for every attempt of this job, different for every
  /// other job. Give it to services outside the database so that a repeat is recognised.
  [[nodiscard]] const std::string& idempotency_key() const;

  /// Raised when the attempt should end: its timeout is over, the job was cancelled, the worker
  /// stops, or its lease can no longer be renewed. A handler that ignores it runs on; past its time
  /// limit, or when the worker stops, its thread is given up on. Callbacks registered on it run on
  /// a thread of the worker that serves all its attempts: a slow one makes the others wait.
  [[nodiscard]] stop_token stop() const;

  /// True when an operator or the application asked for this job to be cancelled.
  [[nodiscard]] bool cancel_requested() const;

  /// Runs `effect` and completes the job in one transaction on a connection of Holdfast's own:
  /// either both are committed or neither is. After `settled` return `done()`. On `lease_lost`
  /// the effect was rolled back: another attempt has the job. What `effect` throws passes through
  /// after a rollback. `effect` may be run a second time, after a rollback; on SQLite it holds the
  /// write lock, so it should be short. Waits for a connection (WorkerOptions::connections_max).
  /// Throws Error: `in_doubt` when the connection ended during the commit and the database cannot
  /// be asked (a `done()` after that counts as a failure, which changes nothing if the commit did
  /// happen); `busy` when somebody else holds the job's row for over a second; `misuse` when
  /// connections_max leaves no connection for it.
  [[nodiscard]] Settled done_in(const std::function<void(Session&)>& effect);

  /// Takes the settle handle; the handler must then return `deferred()`.
  [[nodiscard]] Deferred defer();

 private:
  std::shared_ptr<detail::Attempt> attempt_;
};

}  // namespace holdfast
