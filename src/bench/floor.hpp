#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bench/work.hpp"
#include "holdfast/stop_token.hpp"

namespace holdfast::bench {

/// Rows that a floor has left, to compare with what Holdfast leaves after the same work.
struct FloorRows {
  std::int64_t jobs = 0;
  std::int64_t claims = 0;
  std::int64_t history = 0;
};

/// The raw floor: the same work in plain C calls with the same durability, and with the same
/// writes: an insert with one index; a claim is a row for the claim and an update for each job;
/// its end is an insert into history and a delete. No keys, no fences that are checked, no
/// policies, no constraints. Rates are jobs per second; of single jobs it may do fewer than asked
/// for, see Patience. Throws Error, and Interrupted when it is told to stop.
class Floor {
 public:
  virtual ~Floor() = default;

  /// `jobs` jobs from one thread, `per_commit` in each transaction.
  [[nodiscard]] virtual double enqueue(std::int64_t jobs, int per_commit) = 0;

  /// One job a call from several threads: what the database itself makes of that. On PostgreSQL a
  /// connection for each, at most 32; on SQLite, where one connection writes at a time, one commit
  /// for as many jobs as there are threads.
  [[nodiscard]] virtual double enqueue_from(int threads, std::int64_t jobs) = 0;

  /// Settles `batch` (or fewer) jobs and claims the next `batch` in one transaction, until `jobs`
  /// are done.
  [[nodiscard]] virtual double claim_settle(std::int64_t jobs, int batch) = 0;

  /// Statistics and visibility as in a database that has been there for a while.
  virtual void settle_down() = 0;

  [[nodiscard]] virtual FloorRows rows() = 0;
};

/// One signal each `every`, `count` of them.
struct Signals {
  int count = 0;
  std::chrono::microseconds every{20'000};
};

/// The bare path that a wake-up takes: how a process learns of another's commit when it does
/// nothing else. On SQLite the event on the log, confirmed by the data version; on PostgreSQL
/// LISTEN and NOTIFY. Made by the receiver before the sender begins.
class SignalPath {
 public:
  virtual ~SignalPath() = default;

  /// When each signal arrived. Throws Interrupted.
  [[nodiscard]] virtual std::vector<Steady> receive(const Signals& signals,
                                                    const stop_token& stop) = 0;
};

/// Floors in a file that is made anew.
[[nodiscard]] std::unique_ptr<Floor> sqlite_floor(const std::string& file, stop_token stop);
[[nodiscard]] std::unique_ptr<SignalPath> sqlite_signal_path(const std::string& file);

/// The other end of the path: when each signal was sent. On SQLite that is when its commit had
/// returned, on PostgreSQL, where a NOTIFY has nothing to sync, when it was called for.
[[nodiscard]] std::vector<Steady> send_sqlite_signals(const std::string& file,
                                                      const Signals& signals);

/// Floors in a schema that is there.
[[nodiscard]] std::unique_ptr<Floor> postgres_floor(const std::string& conninfo,
                                                    const std::string& schema, stop_token stop);
[[nodiscard]] std::unique_ptr<SignalPath> postgres_signal_path(const std::string& conninfo,
                                                               const std::string& channel);
[[nodiscard]] std::vector<Steady> send_postgres_signals(const std::string& conninfo,
                                                        const std::string& channel,
                                                        const Signals& signals);

}  // namespace holdfast::bench
