#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "db/watch.hpp"
#include "holdfast/clock.hpp"
#include "holdfast/session.hpp"
#include "holdfast/time.hpp"

namespace holdfast::db {

/// The answer to a commit. `in_doubt` is resolved by reading what the transaction would have
/// written, never by repeating the commit and never by guessing.
enum class Committed { yes, no, in_doubt };

/// The writers of a SQLite file beside this process. On PostgreSQL they are in nobody's way.
struct Others {
  Duration waited = {};  ///< for one of them to let go of the write lock
  bool busy = false;     ///< they have written within a second
};

/// A connection that is ours: it may begin and end transactions. One thread at a time.
class Connection : public Session {
 public:
  /// Begins a transaction that will write: IMMEDIATE on SQLite (waits its turn), READ COMMITTED
  /// on PostgreSQL whatever the default of the database. Throws Error.
  virtual void begin() = 0;

  /// The same, but on PostgreSQL sent together with the first statement, which saves a round trip:
  /// what goes wrong with it is thrown by that statement. Nobody may use the C handle before.
  virtual void begin_with_first() { begin(); }

  /// Ends it. A transaction that a failed statement has aborted answers `no`. Throws
  /// Error(storage_full) when it was rolled back for lack of space.
  [[nodiscard]] virtual Committed commit() = 0;

  /// Ends it without a trace. Never throws; a connection that cannot roll back becomes broken.
  virtual void rollback() noexcept = 0;

  [[nodiscard]] virtual bool in_transaction() const = 0;

  /// True when one statement outside a transaction is as durable and as isolated as one inside, so
  /// that begin and commit can be saved (two round trips of three on PostgreSQL). Throws Error.
  /// When the connection ends before its answer, the error of that statement is `in_doubt`.
  [[nodiscard]] virtual bool may_write_alone() { return false; }

  /// What the last begin() found out about other writers.
  [[nodiscard]] virtual Others others() const { return {}; }

  /// Runs several statements without parameters, `;` between them: a migration. Inside a
  /// transaction of the caller's.
  virtual void script(std::string_view sql) = 0;

  /// Database time: on PostgreSQL the server's, from a local offset that begin() reads again when
  /// it is over a second old; on SQLite the clock's.
  [[nodiscard]] virtual Time now() = 0;

  /// Reads the server's clock again (a round trip on PostgreSQL, nothing on SQLite). Returns how
  /// far the wall clock jumped against a steady one since the last call.
  virtual Duration sync_clock() = 0;

  /// True when the connection ended and nothing works until reconnect().
  [[nodiscard]] virtual bool broken() const = 0;

  /// Opens it again. Throws Error(disconnected) while the database cannot be reached.
  virtual void reconnect() = 0;
};

/// How the error of a statement begins that met a day of history without a partition (PostgreSQL).
inline constexpr std::string_view no_history_partition = "no partition of history for this day";

/// What a connection is for.
enum class Lane {
  normal,
  keeper,  ///< lease renewals: they go before every other writer of the process (SQLite)
  claims,  ///< settles and claims: the plans of the hot statements are pinned (PostgreSQL)
};

/// A place that connections are opened to. Thread-safe.
class Database {
 public:
  virtual ~Database() = default;
  [[nodiscard]] virtual Dialect dialect() const = 0;
  [[nodiscard]] virtual std::unique_ptr<Connection> connect(Lane lane) = 0;

  /// Throws Error(misuse) when this thread has a transaction open that another one of this process
  /// would wait for (SQLite): before it waits for others who will.
  virtual void require_thread_may_write() const {}

  /// Hears when others commit, for the thread that uses `connection`, which was opened here.
  /// `listen` is what subscribes, for a database that takes such a statement; else null. Answers
  /// null where nothing can be heard: a database in memory, a pooler in between. Throws Error.
  [[nodiscard]] virtual std::unique_ptr<Watch> watch(Connection& /*connection*/,
                                                     const Statement* /*listen*/) {
    return nullptr;
  }

  /// For messages: the file, or host and database name; never a password.
  [[nodiscard]] virtual std::string name() const = 0;
};

/// A transaction as a scope: begins at construction, rolls back unless committed.
class Transaction {
 public:
  enum class Begin { now, with_first_statement };

  explicit Transaction(Connection& connection, Begin begin = Begin::now) : connection_(connection) {
    begin == Begin::now ? connection.begin() : connection.begin_with_first();
  }
  ~Transaction() {
    if (open_) connection_.rollback();
  }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  [[nodiscard]] Committed commit() {
    open_ = false;
    return connection_.commit();
  }

  /// Commits, and throws Error for every answer but yes: for callers that have nothing to resolve.
  void commit_or_throw();

 private:
  Connection& connection_;
  bool open_ = true;
};

}  // namespace holdfast::db
