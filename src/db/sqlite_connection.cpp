#include "db/sqlite_connection.hpp"

#include <sqlite3.h>

#include <utility>

#include "db/sqlite_error.hpp"
#include "db/sqlite_wal_index.hpp"

namespace holdfast::db {

namespace {

int primary(int result) { return result & 0xff; }

/// Failures after which what the handle has in memory may differ from what is in the file.
bool leaves_handle_broken(int result) {
  switch (primary(result)) {
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB: return true;
    default: return false;
  }
}

/// Failures of a commit that happen before its last frame is written. After any other the
/// transaction may still be found in the log, by the recovery that follows a crash.
bool surely_refused(int result) {
  switch (primary(result)) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_CONSTRAINT:
    case SQLITE_FULL:
    case SQLITE_READONLY: return true;
    default: return false;
  }
}

int execute_plain(::sqlite3* db, const char* sql) {
  return sqlite3_exec(db, sql, nullptr, nullptr, nullptr);
}

}  // namespace

SqliteConnection::SqliteConnection(std::shared_ptr<SqliteFile> file, Lane lane)
    : file_(std::move(file)),
      lane_(lane),
      wall_(file_->clock.now()),
      steady_(file_->clock.steady()) {
  file_->require_same_process();
  open(SqliteHandle::Open::create);
}

SqliteConnection::~SqliteConnection() { rollback(); }

template <class Call>
auto SqliteConnection::use(Call call) {
  require_usable();
  require_transaction_kept();
  try {
    return call(*session_);
  } catch (const Error&) {
    note_failure();
    throw;
  }
}

std::int64_t SqliteConnection::run(const Statement& statement, Params params, const RowSink& sink) {
  return use([&](SqliteSession& session) { return session.run(statement, params, sink); });
}

std::int64_t SqliteConnection::run_many(const Statement& statement, const Batch& batch,
                                        const RowSink& sink) {
  return use([&](SqliteSession& session) { return session.run_many(statement, batch, sink); });
}

std::int64_t SqliteConnection::execute(std::string_view sql, Params params, const RowSink& sink) {
  const std::int64_t rows =
      use([&](SqliteSession& session) { return session.execute(sql, params, sink); });
  if (transaction_gone()) {
    throw Error(Code::misuse, "this SQL ended a transaction that was not its own to end");
  }
  return rows;
}

void SqliteConnection::script(std::string_view sql) {
  use([&](SqliteSession& session) { session.script(sql); });
}

void SqliteConnection::begin() {
  require_usable();
  if (begun_) throw Error(Code::misuse, "a transaction is open on this connection already");
  std::chrono::steady_clock::time_point asked;
  int result = SQLITE_BUSY;
  do {
    if (!file_->gate.enter(lane_, file_->busy_limit)) {
      throw Error(Code::busy, "another writer of this process held the database too long");
    }
    asked = std::chrono::steady_clock::now();
    result = try_begin();
    if (result == SQLITE_OK) break;
    const Error error = error_of(handle_.get(), "begin");
    note_failure();
    const bool gave_way = primary(result) == SQLITE_BUSY && file_->gate.keeper_waits();
    file_->gate.leave();
    if (!gave_way || lane_ == Lane::keeper) throw error;
  } while (true);
  begun_ = true;
  note_begun(asked);
}

/// While it waits for another process, the lease keeper of this one comes first.
int SqliteConnection::try_begin() {
  BusyWait& wait = handle_.wait();
  wait.forget();
  wait.give_way_at(lane_ == Lane::keeper ? nullptr : &file_->gate);
  const int result = execute_plain(handle_.get(), "begin immediate");
  wait.give_way_at(nullptr);
  return result;
}

void SqliteConnection::note_begun(std::chrono::steady_clock::time_point asked) {
  const auto now = std::chrono::steady_clock::now();
  const auto waited = handle_.wait().waited() ? now - asked : std::chrono::steady_clock::duration{};
  const auto commits = commits_counted(handle_.get());
  const bool others_wrote = file_->commits_left && commits && *commits != *file_->commits_left;
  if (lane_ != Lane::keeper) file_->pace.begun(now, {others_wrote, waited});
  if (lane_ == Lane::keeper && others_wrote) file_->pace.note_others(now);
  others_ = {std::chrono::duration_cast<Duration>(waited), file_->pace.has_neighbours(now)};
}

Committed SqliteConnection::commit() {
  if (!begun_) throw Error(Code::misuse, "there is no transaction to commit");
  file_->require_same_process();
  if (transaction_gone()) {
    end_transaction();
    return Committed::no;
  }
  const int result = try_commit();
  const std::optional<Error> reason = result == SQLITE_OK || !surely_refused(result)
                                          ? std::nullopt
                                          : std::optional(error_of(handle_.get(), "commit"));
  if (leaves_handle_broken(result)) broken_ = true;
  end_transaction();
  if (result == SQLITE_OK) return Committed::yes;
  if (reason && reason->code() == Code::storage_full) throw *reason;
  return reason ? Committed::no : Committed::in_doubt;
}

/// In memory a commit waits for readers; the busy handler does most of the waiting, but SQLite
/// leaves it out where waiting could be a deadlock.
int SqliteConnection::try_commit() {
  BusyWait wait(file_->busy_limit);
  wait.start();
  while (true) {
    const int result = execute_plain(handle_.get(), "commit");
    if (primary(result) != SQLITE_BUSY || !wait.pause()) return result;
  }
}

void SqliteConnection::rollback() noexcept {
  if (!begun_ || !session_ || session_->forked()) return;
  end_transaction();
}

/// Leaves no transaction open, whatever happened to it, and lets the next writer in.
void SqliteConnection::end_transaction() noexcept {
  if (!transaction_gone() && execute_plain(handle_.get(), "rollback") != SQLITE_OK) {
    broken_ = broken_ || !transaction_gone();
  }
  begun_ = false;
  const bool paced = lane_ != Lane::keeper && !file_->in_memory;
  const auto rest_until =
      paced ? file_->pace.ended(std::chrono::steady_clock::now()) : WriteGate::Steady{};
  // Whoever has committed since the lock was let go is missed for once; it will be back.
  if (!broken_) file_->commits_left = commits_counted(handle_.get());
  if (lane_ == Lane::keeper || broken_ || !checkpoint_.is_due()) {
    file_->gate.leave(rest_until);
    return;
  }
  // With other writers of this process going on meanwhile the log would never be copied to its end,
  // and grow.
  file_->gate.leave_to_keeper();
  checkpoint_.run(handle_.get());
  file_->gate.rest(rest_until);
}

Time SqliteConnection::now() { return file_->clock.now(); }

Duration SqliteConnection::sync_clock() {
  const Time wall = file_->clock.now();
  const auto steady = file_->clock.steady();
  const Duration wall_passed = wall - std::exchange(wall_, wall);
  const auto steady_passed = steady - std::exchange(steady_, steady);
  return wall_passed - std::chrono::duration_cast<Duration>(steady_passed);
}

void SqliteConnection::reconnect() {
  file_->require_same_process();
  rollback();
  broken_ = true;
  session_.reset();
  handle_ = SqliteHandle();
  try {
    open(SqliteHandle::Open::existing);
  } catch (const Error& error) {
    if (error.code() != Code::storage) throw;
    throw Error(Code::disconnected, error.what(), error.statement());
  }
  broken_ = false;
}

void SqliteConnection::open(SqliteHandle::Open how) {
  handle_ = SqliteHandle(*file_, how);
  checkpoint_.install(handle_.get());
  session_.emplace(handle_.get());
}

void SqliteConnection::require_usable() const {
  file_->require_same_process();
  if (!broken_) return;
  throw Error(Code::disconnected, "the connection to " + file_->name + " is broken: reconnect");
}

void SqliteConnection::require_transaction_kept() const {
  if (!transaction_gone()) return;
  throw Error(Code::restart,
              "an earlier error rolled the transaction back: roll back and begin it again");
}

/// True when SQLite, after an error, has ended the transaction that we began.
bool SqliteConnection::transaction_gone() const {
  return begun_ && sqlite3_get_autocommit(handle_.get()) != 0;
}

void SqliteConnection::note_failure() noexcept {
  if (session_->forked()) return;
  if (leaves_handle_broken(sqlite3_errcode(handle_.get()))) broken_ = true;
}

}  // namespace holdfast::db
