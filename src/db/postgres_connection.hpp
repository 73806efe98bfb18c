#pragma once

#include <memory>
#include <optional>

#include "db/connection.hpp"
#include "db/postgres_address.hpp"
#include "db/postgres_clock.hpp"
#include "db/postgres_session.hpp"
#include "holdfast/store.hpp"

namespace holdfast::db {

/// A connection of our own. Nothing it does outlives a transaction (no session settings or session
/// locks), so that a pooler in transaction mode may sit between. Statements are prepared where none
/// does: the server then says the process id that it gave when the connection began, and a pooler
/// has given one of its own.
class PostgresConnection : public Connection {
 public:
  /// Connects. Throws Error: disconnected, schema for a server that is too old or not UTF8,
  /// durability for one that runs without fsync.
  PostgresConnection(std::shared_ptr<const PostgresAddress> address, Durability durability,
                     const Clock& clock, Plan plans = Plan::kept);

  [[nodiscard]] Dialect dialect() const override { return Dialect::postgres; }
  using Session::execute;
  using Session::run;
  std::int64_t run(const Statement& statement, Params params, const RowSink& sink) override;
  std::int64_t run_many(const Statement& statement, const Batch& batch,
                        const RowSink& sink) override;
  std::int64_t execute(std::string_view sql, Params params, const RowSink& sink) override;
  void script(std::string_view sql) override;
  [[nodiscard]] ::sqlite3* sqlite() const override { return nullptr; }
  [[nodiscard]] ::pg_conn* postgres() const override { return handle_.get(); }

  void begin() override;
  void begin_with_first() override;
  [[nodiscard]] Committed commit() override;
  void rollback() noexcept override;
  [[nodiscard]] bool in_transaction() const override { return in_transaction_; }
  [[nodiscard]] bool may_write_alone() override;

  [[nodiscard]] Time now() override { return clock_.now(); }
  Duration sync_clock() override;

  /// Also true in a forked child, where reconnect() opens a connection of the child's own.
  [[nodiscard]] bool broken() const override;
  void reconnect() override;

 private:
  void require_no_transaction();
  void open();
  void probe();
  void probe_once();
  void check_still_in_transaction();

  std::shared_ptr<const PostgresAddress> address_;
  Durability durability_;
  Plan plans_;
  PostgresClock clock_;
  PostgresHandle handle_;
  std::optional<PostgresSession> session_;
  bool forces_synchronous_commit_ = false;
  bool reads_committed_ = false;  ///< by default, that is outside our own transactions
  bool in_transaction_ = false;
  bool direct_ = false;  ///< no pooler in between
  bool stuck_ = false;   ///< a rollback failed: what state the server is in is unknown
};

}  // namespace holdfast::db
