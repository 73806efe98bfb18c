#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "db/connection.hpp"
#include "holdfast/clock.hpp"
#include "queue/company.hpp"
#include "queue/wakers.hpp"
#include "store/statements.hpp"

namespace holdfast::detail {

/// What a Store shares between its copies: where the database is, its statements, and one
/// connection for the operations of Store itself. Thread-safe. In a process forked after it was
/// made every call throws Error(forked), before it takes a lock that may never be released there.
class StoreState {
 public:
  StoreState(std::shared_ptr<db::Database> database, std::shared_ptr<const store::StatementSet> sql,
             const Clock& clock);

  [[nodiscard]] db::Database& database() const noexcept { return *database_; }
  [[nodiscard]] const store::StatementSet& sql() const noexcept { return *sql_; }
  [[nodiscard]] const Clock& clock() const noexcept { return clock_; }
  [[nodiscard]] queue::Wakers& wakers() noexcept { return wakers_; }

  /// Throws Error(schema), naming both versions, unless this program can use the database. Asks
  /// until the answer was yes once.
  void require_ready();

  /// The same question for a connection of the caller's; Store opens none of its own for it.
  void require_usable(db::Connection& connection) const;

  /// Runs `work` on Store's own connection, which no other thread uses meanwhile. Connects again
  /// when the connection had ended.
  void with_connection(const std::function<void(db::Connection&)>& work);

  /// The same inside a transaction that is committed at the end, after require_ready(). A commit
  /// in doubt is handed to `resolve`, which reads what the transaction would have left, on a fresh
  /// connection: true means it was committed. Without it, or when it cannot tell: Error(in_doubt).
  using Resolve = std::function<bool(db::Connection&)>;
  using Work = std::function<void(db::Connection&)>;
  void with_transaction(const Work& work, const Resolve& resolve = {});

  /// The same for work of one statement, or of several that each may stand alone: without a
  /// transaction around it where the connection allows that.
  void with_statement(const Work& work, const Resolve& resolve = {});

  /// Where threads that enqueue at the same moment meet.
  [[nodiscard]] queue::Company& company() noexcept { return company_; }

 private:
  void transact(db::Connection& connection, const Work& work, const Resolve& resolve);
  void require_own_process() const;
  db::Connection& connected();
  [[nodiscard]] bool happened(const Resolve& resolve);
  [[nodiscard]] std::string named() const;

  std::uint64_t made_in_;  ///< fork generation
  std::shared_ptr<db::Database> database_;
  std::shared_ptr<const store::StatementSet> sql_;
  const Clock& clock_;
  queue::Company company_;
  queue::Wakers wakers_;
  std::mutex mutex_;  // guards connection_ and ready_
  std::unique_ptr<db::Connection> connection_;
  bool ready_ = false;
};

}  // namespace holdfast::detail
