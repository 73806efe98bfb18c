#pragma once

#include <cstdint>
#include <optional>

#include "db/connection.hpp"
#include "worker/steady.hpp"

namespace holdfast::worker {

struct Context;

/// What a worker on PostgreSQL says in the table `sleepers`, so that enqueuers tell it of new jobs.
///
///   withdrawn ──committed──► made ──older transactions are over──► reliable
///       ▲                     │                                       │
///       └──withdrawn, lapsed, connection lost──────────────────────────┘
///
///  1. An enqueuer looks for sleepers in a statement later than its INSERT. If it saw none, its
///     transaction had an id before the announcement was committed, and so is older than the
///     horizon that is read after that.
///  2. So once every transaction below the horizon is over, whoever has not told has committed, and
///     a look that begins from now on finds it. A worker sleeps only after such a look.
///  3. It is renewed long before it lapses; one that may have lapsed is made anew.
///
/// Store thread only.
class Announcement {
 public:
  explicit Announcement(Context& context) : context_(context) {}

  /// One step towards being reliable, or a renewal when it is time for it. Outside a transaction.
  /// Throws Error.
  void advance(db::Connection& connection, Steady now);

  void withdraw(db::Connection& connection);

  /// It cannot be counted on: the connection that listens is gone.
  void forget() noexcept;

  [[nodiscard]] bool made() const noexcept { return made_at_.has_value(); }
  [[nodiscard]] bool reliable() const noexcept { return made() && reached_; }

  /// When advance() wants to be called again to keep it reliable.
  [[nodiscard]] Steady renew_at() const noexcept;

  /// It has lapsed, or is about to: what was reliable is not.
  [[nodiscard]] bool lapsed(Steady now) const noexcept;

 private:
  void make(db::Connection& connection, Steady now);
  void check_horizon(db::Connection& connection);

  Context& context_;
  std::optional<Steady> made_at_;
  std::optional<std::int64_t> horizon_;  ///< transactions from this one on saw it
  bool reached_ = false;                 ///< all before that are over
};

}  // namespace holdfast::worker
