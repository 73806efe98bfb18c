#include "queue/store_state.hpp"

#include <utility>

#include "base/fork.hpp"
#include "holdfast/error.hpp"
#include "store/migrate.hpp"

namespace holdfast::detail {

StoreState::StoreState(std::shared_ptr<db::Database> database,
                       std::shared_ptr<const store::StatementSet> sql, const Clock& clock)
    : made_in_(base::fork_generation()),
      database_(std::move(database)),
      sql_(std::move(sql)),
      clock_(clock) {}

void StoreState::require_own_process() const {
  if (made_in_ == base::fork_generation()) return;
  throw Error(Code::forked, "this store was opened before fork(): open it in the child");
}

db::Connection& StoreState::connected() {
  if (!connection_) connection_ = database_->connect(db::Lane::normal);
  if (connection_->broken()) connection_->reconnect();
  return *connection_;
}

void StoreState::require_ready() {
  require_own_process();
  const std::lock_guard lock(mutex_);
  if (ready_) return;
  require_usable(connected());
  ready_ = true;
}

void StoreState::require_usable(db::Connection& connection) const {
  require_own_process();
  store::require_usable(store::found_version({connection, *sql_}), named());
}

std::string StoreState::named() const {
  constexpr std::string_view usual = "holdfast";
  if (sql_->schema() == usual) return database_->name();
  return database_->name() + " (namespace " + std::string(sql_->schema()) + ")";
}

void StoreState::with_connection(const std::function<void(db::Connection&)>& work) {
  require_own_process();
  const std::lock_guard lock(mutex_);
  work(connected());
}

/// False also when the database cannot be asked.
bool StoreState::happened(const Resolve& resolve) {
  try {
    return resolve(connected());
  } catch (const Error&) {
    return false;
  }
}

void StoreState::with_transaction(const Work& work, const Resolve& resolve) {
  require_ready();
  const std::lock_guard lock(mutex_);
  transact(connected(), work, resolve);
}

void StoreState::with_statement(const Work& work, const Resolve& resolve) {
  require_ready();
  const std::lock_guard lock(mutex_);
  db::Connection& connection = connected();
  connection.may_write_alone() ? work(connection) : transact(connection, work, resolve);
}

void StoreState::transact(db::Connection& connection, const Work& work, const Resolve& resolve) {
  db::Committed answer = db::Committed::no;
  {
    db::Transaction transaction(connection, db::Transaction::Begin::with_first_statement);
    work(connection);
    answer = transaction.commit();
  }
  if (answer == db::Committed::yes) return;
  if (answer == db::Committed::no) {
    throw Error(Code::busy, "the commit was refused: nothing was written, try again");
  }
  if (resolve && happened(resolve)) return;
  throw Error(Code::in_doubt,
              "the connection ended during the commit and it is not known whether it happened: "
              "look before repeating, or repeat with a unique key");
}

}  // namespace holdfast::detail
