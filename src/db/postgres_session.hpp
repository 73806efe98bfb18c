#pragma once

#include <libpq-fe.h>

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_set>
#include <utility>

#include "db/postgres_result.hpp"
#include "holdfast/session.hpp"

namespace holdfast::db {

/// Throws Error(misuse) or Error(disconnected) when a statement cannot be sent on this handle now:
/// connection lost, transaction aborted, another command, COPY or pipeline mode under way, or a
/// client encoding that would change our text. Looks at the handle only, asks nothing.
void require_usable(PGconn* connection);

/// Runs statements on a PGconn that somebody else owns, with unnamed statements unless told
/// otherwise, so that nothing outlives the call and a pooler may sit between. Never begins, commits
/// or closes. The handle must outlive it. One thread at a time. After a fork the child gets
/// Error(forked).
///
/// Without a transaction around it each call commits by itself; when the connection ends before
/// the answer to such a write, the error is in_doubt instead of disconnected.
class PostgresSession : public Session {
 public:
  explicit PostgresSession(PGconn* connection);

  [[nodiscard]] Dialect dialect() const override { return Dialect::postgres; }
  using Session::execute;
  using Session::run;
  std::int64_t run(const Statement& statement, Params params, const RowSink& sink) override;

  /// Inside a transaction large batches are sent in several round trips. Outside they are one
  /// statement, to stay all or nothing; one that is too large for that is Error(misuse).
  std::int64_t run_many(const Statement& statement, const Batch& batch,
                        const RowSink& sink) override;
  std::int64_t execute(std::string_view sql, Params params, const RowSink& sink) override;

  /// Several statements without parameters, `;` between them. Rows are dropped.
  void script(std::string_view sql);

  [[nodiscard]] ::sqlite3* sqlite() const override { return nullptr; }
  [[nodiscard]] ::pg_conn* postgres() const override { return connection_; }

  /// Which statements are prepared by name, once, and their plans kept: those marked so far, and no
  /// others. Only where every statement meets the same server process, and on a handle of our own.
  /// None at first.
  void keep_plans(Plan up_to) noexcept { keeps_ = up_to; }

  /// Begins a transaction with the next statement, in one round trip: these are sent before it, the
  /// second one if there is one. For a handle of our own.
  using Begin = std::array<const char*, 2>;
  void plan_begin(Begin begin) noexcept { begin_ = begin; }
  [[nodiscard]] bool begin_planned() const noexcept { return begin_.has_value(); }

  /// Sends them now. Throws Error.
  void begin();

  /// True when they have not been sent, and will not be.
  [[nodiscard]] bool forget_begin() noexcept {
    return std::exchange(begin_, std::nullopt).has_value();
  }

  /// True in a process that the handle was not made in.
  [[nodiscard]] bool forked() const noexcept;

 private:
  /// What is known of a statement before it is sent.
  struct Sent {
    std::string_view name;
    std::string_view sql;
    bool alone;  ///< no transaction around it
  };

  [[nodiscard]] Sent prepare(std::string_view name, std::string_view sql) const;
  template <class Send>
  [[nodiscard]] PostgresResult exchange(Send send);
  template <class Send>
  [[nodiscard]] PostgresResult exchange_with_begin(Send send);
  std::int64_t run_kept(const Sent& sent, const Statement& statement, Params params,
                        const RowSink& sink);
  std::int64_t run_text(const Sent& sent, const char* sql, Params params, const RowSink& sink);
  [[nodiscard]] std::int64_t answer(PostgresResult result, const Sent& sent, const RowSink& sink);
  [[noreturn]] void fail(const PGresult* result, const Sent& sent);
  [[noreturn]] void leave_copy(const Sent& sent);

  PGconn* connection_;
  std::uint64_t generation_;
  Plan keeps_ = Plan::fresh;
  std::unordered_set<const Statement*> kept_ = {};
  std::optional<Begin> begin_ = {};
};

}  // namespace holdfast::db
