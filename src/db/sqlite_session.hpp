#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "db/sqlite_statement.hpp"
#include "holdfast/error.hpp"
#include "holdfast/session.hpp"

struct sqlite3;

namespace holdfast::db {

/// Runs statements on a borrowed handle, which must outlive it and belong to the same thread. Never
/// begins or ends a transaction and sets nothing on the handle; what it prepared is finalized
/// with it.
///
/// A statement with a second part (`then`) needs an open transaction: without one a crash between
/// the parts would keep half of it. Throws Error(misuse) otherwise.
///
/// In a process forked after construction every call throws Error(forked), and the destructor
/// leaves the handle alone: what SQLite knows about locks is true in the parent only.
class SqliteSession final : public Session {
 public:
  explicit SqliteSession(::sqlite3* db);
  ~SqliteSession() override;
  SqliteSession(const SqliteSession&) = delete;
  SqliteSession& operator=(const SqliteSession&) = delete;

  using Session::execute;
  using Session::run;

  [[nodiscard]] Dialect dialect() const override { return Dialect::sqlite; }
  std::int64_t run(const Statement& statement, Params params, const RowSink& sink) override;
  std::int64_t run_many(const Statement& statement, const Batch& batch,
                        const RowSink& sink) override;

  std::int64_t execute(std::string_view sql, Params params, const RowSink& sink) override;

  /// Runs every statement of `sql`, in turn, without parameters. Rows are dropped.
  void script(std::string_view sql);

  [[nodiscard]] ::sqlite3* sqlite() const override { return db_; }
  [[nodiscard]] ::pg_conn* postgres() const override { return nullptr; }

  /// True in a child of the process that made the session.
  [[nodiscard]] bool forked() const noexcept;

 private:
  /// The parts of a Statement, prepared.
  struct Prepared {
    SqliteStatement first;
    SqliteStatement then;
    SqliteStatement wide;
  };

  void check_process() const;
  Prepared& prepared(const Statement& statement);
  std::int64_t run_prepared(Prepared& parts, const Statement& statement, Params params,
                            const RowSink& sink);
  [[nodiscard]] bool widen(Prepared& parts, const Statement& statement);

  ::sqlite3* db_;
  std::uint64_t made_in_;  ///< fork generation
  std::unordered_map<const Statement*, Prepared> cache_;
};

}  // namespace holdfast::db
