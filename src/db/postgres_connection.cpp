#include "db/postgres_connection.hpp"

#include <string>
#include <utility>

#include "db/postgres_commit.hpp"
#include "db/postgres_durability.hpp"
#include "db/postgres_error.hpp"
#include "holdfast/error.hpp"

namespace holdfast::db {

namespace {

constexpr int version_min = 140000;

constexpr std::string_view probe_sql =
    "select (extract(epoch from clock_timestamp()) * 1000000)::bigint,"
    " current_setting('synchronous_commit'), current_setting('fsync'),"
    " current_setting('server_encoding'), current_setting('server_version_num')::bigint,"
    " current_setting('server_version'), pg_backend_pid(),"
    " current_setting('default_transaction_isolation')";

// The isolation level is stated because the default of a database or role may be another.
constexpr const char* begin_sql = "begin isolation level read committed";
constexpr const char* wait_for_disk_sql = "set local synchronous_commit = on";

/// The hot statements walk indexes and nothing else, whatever the statistics say of a table that
/// was empty when they were planned. A statement that has no index is thought dear then, and would
/// be compiled to machine code, which takes seconds.
constexpr std::string_view pin_plans_sql =
    "set plan_cache_mode = force_generic_plan; set enable_seqscan = off;"
    " set enable_bitmapscan = off; set enable_hashjoin = off; set enable_mergejoin = off;"
    " set jit = off";

void ignore_notice(void* /*unused*/, const char* /*message*/) {}

void require_usable_server(const Row& row) {
  if (row.integer(4) < version_min) {
    throw Error(Code::schema,
                "PostgreSQL 14 or newer is needed, and this is " + std::string(row.text(5)));
  }
  if (row.text(3) != "UTF8") {
    throw Error(Code::schema, "the encoding of this database must be UTF8 and is " +
                                  std::string(row.text(3)) +
                                  ": make one with `create database … encoding 'UTF8'`");
  }
}

}  // namespace

PostgresConnection::PostgresConnection(std::shared_ptr<const PostgresAddress> address,
                                       Durability durability, const Clock& clock, Plan plans)
    : address_(std::move(address)), durability_(durability), plans_(plans), clock_(clock) {
  open();
}

std::int64_t PostgresConnection::run(const Statement& statement, Params params,
                                     const RowSink& sink) {
  const auto rows = session_->run(statement, params, sink);
  check_still_in_transaction();
  return rows;
}

std::int64_t PostgresConnection::run_many(const Statement& statement, const Batch& batch,
                                          const RowSink& sink) {
  return session_->run_many(statement, batch, sink);
}

std::int64_t PostgresConnection::execute(std::string_view sql, Params params, const RowSink& sink) {
  const auto rows = session_->execute(sql, params, sink);
  check_still_in_transaction();
  return rows;
}

void PostgresConnection::script(std::string_view sql) {
  session_->script(sql);
  check_still_in_transaction();
}

void PostgresConnection::begin() {
  begin_with_first();
  try {
    session_->begin();
  } catch (const Error&) {
    rollback();
    throw;
  }
}

void PostgresConnection::begin_with_first() {
  require_no_transaction();
  if (clock_.stale()) probe();
  session_->plan_begin({begin_sql, forces_synchronous_commit_ ? wait_for_disk_sql : nullptr});
  in_transaction_ = true;
}

void PostgresConnection::require_no_transaction() {
  if (session_->forked()) throw Error(Code::forked, "this connection was made before fork()");
  require_usable(handle_.get());
  if (in_transaction_ || PQtransactionStatus(handle_.get()) != PQTRANS_IDLE) {
    throw Error(Code::misuse, "this connection has begun a transaction already");
  }
}

Committed PostgresConnection::commit() {
  if (session_->forked()) throw Error(Code::forked, "this connection was made before fork()");
  if (!in_transaction_) throw Error(Code::misuse, "there is no transaction to commit");
  in_transaction_ = false;
  if (session_->forget_begin()) return Committed::yes;  // nothing was run, nothing was sent
  return send_commit(handle_.get());
}

void PostgresConnection::rollback() noexcept {
  if (!std::exchange(in_transaction_, false) || session_->forget_begin() || broken()) return;
  if (PQtransactionStatus(handle_.get()) == PQTRANS_IDLE) return;
  const PostgresResult result(PQexec(handle_.get(), "rollback"));
  stuck_ = PQresultStatus(result.get()) != PGRES_COMMAND_OK;
}

bool PostgresConnection::may_write_alone() {
  if (in_transaction_) return false;
  if (clock_.stale()) probe();
  return reads_committed_ && !forces_synchronous_commit_;
}

Duration PostgresConnection::sync_clock() {
  probe();
  return clock_.jump();
}

bool PostgresConnection::broken() const {
  return stuck_ || !session_ || session_->forked() || PQstatus(handle_.get()) != CONNECTION_OK;
}

void PostgresConnection::reconnect() {
  in_transaction_ = false;
  open();
}

/// Broken until the server is found usable.
void PostgresConnection::open() {
  PostgresHandle fresh = address_->dial();
  PQsetNoticeProcessor(fresh.get(), ignore_notice, nullptr);
  handle_ = std::move(fresh);
  session_.emplace(handle_.get());
  stuck_ = true;
  probe();
  if (direct_ && plans_ == Plan::pinned) session_->script(pin_plans_sql);
  session_->keep_plans(direct_ ? plans_ : Plan::fresh);
  stuck_ = false;
}

/// Reads the clock, and with it what may change under a running worker: synchronous_commit of the
/// role or database. Inside a transaction our own `set local` would be read.
void PostgresConnection::probe() {
  constexpr int readings_max = 3;
  probe_once();
  for (int i = 1; i < readings_max && clock_.doubtful(); ++i) probe_once();
}

void PostgresConnection::probe_once() {
  const auto asked = clock_.steady();
  session_->execute(probe_sql, Params{}, [&](const Row& row) {
    clock_.read(asked, clock_.steady(), Time(Duration(row.integer(0))));
    require_usable_server(row);
    require_fsync(row.text(2), durability_);
    direct_ = row.integer(6) == PQbackendPID(handle_.get());
    reads_committed_ = row.text(7) == "read committed";
    if (in_transaction_) return;
    forces_synchronous_commit_ = needs_synchronous_commit(row.text(1), durability_);
  });
}

void PostgresConnection::check_still_in_transaction() {
  if (!in_transaction_ || session_->begin_planned()) return;
  if (PQtransactionStatus(handle_.get()) != PQTRANS_IDLE) return;
  in_transaction_ = false;
  throw Error(Code::misuse, "a statement ended the transaction, which was not its to end");
}

}  // namespace holdfast::db
