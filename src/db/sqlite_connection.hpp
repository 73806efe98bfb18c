#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "db/connection.hpp"
#include "db/sqlite_checkpoint.hpp"
#include "db/sqlite_file.hpp"
#include "db/sqlite_handle.hpp"
#include "db/sqlite_session.hpp"

namespace holdfast::db {

/// A connection of our own to a SQLite database.
///
/// 1. While `begun_`, this connection holds the gate of its database, and nobody else does.
/// 2. A statement runs inside the transaction it was meant for or not at all: once SQLite has
///    rolled back by itself (full disk, I/O error), everything throws Error(restart) until
///    rollback().
/// 3. What is left of the lock goes to others by the file's pace. The lease keeper waits for none.
/// 4. After a failure that may have left the handle behind the file, it is broken: everything
///    throws Error(disconnected) until reconnect().
class SqliteConnection final : public Connection {
 public:
  SqliteConnection(std::shared_ptr<SqliteFile> file, Lane lane);
  ~SqliteConnection() override;

  using Session::execute;
  using Session::run;

  [[nodiscard]] Dialect dialect() const override { return Dialect::sqlite; }
  std::int64_t run(const Statement& statement, Params params, const RowSink& sink) override;
  std::int64_t run_many(const Statement& statement, const Batch& batch,
                        const RowSink& sink) override;

  /// Throws Error(misuse), afterwards, for SQL that ended the transaction around it.
  std::int64_t execute(std::string_view sql, Params params, const RowSink& sink) override;
  void script(std::string_view sql) override;
  [[nodiscard]] ::sqlite3* sqlite() const override { return handle_.get(); }
  [[nodiscard]] ::pg_conn* postgres() const override { return nullptr; }

  void begin() override;
  [[nodiscard]] Committed commit() override;
  void rollback() noexcept override;
  [[nodiscard]] bool in_transaction() const override { return begun_; }
  [[nodiscard]] Others others() const override { return others_; }
  [[nodiscard]] Time now() override;
  Duration sync_clock() override;
  [[nodiscard]] bool broken() const override { return broken_; }

  /// Never makes a new file: one that is gone is Error(disconnected).
  void reconnect() override;

 private:
  void open(SqliteHandle::Open how);
  void require_usable() const;
  void require_transaction_kept() const;
  [[nodiscard]] bool transaction_gone() const;
  void note_failure() noexcept;
  [[nodiscard]] int try_commit();
  void end_transaction() noexcept;
  [[nodiscard]] int try_begin();
  void note_begun(std::chrono::steady_clock::time_point asked);

  template <class Call>
  auto use(Call call);

  std::shared_ptr<SqliteFile> file_;
  Lane lane_;
  SqliteCheckpoint checkpoint_;
  SqliteHandle handle_;
  std::optional<SqliteSession> session_;  ///< after the handle: its statements go first
  bool begun_ = false;
  bool broken_ = false;
  Others others_ = {};
  Time wall_;  ///< both read at the same moment, at the last sync_clock()
  std::chrono::steady_clock::time_point steady_;
};

}  // namespace holdfast::db
