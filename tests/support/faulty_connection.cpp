#include "support/faulty_connection.hpp"

#include <type_traits>
#include <utility>

namespace holdfast::test {

namespace {

bool drops(const Fault& fault) {
  return fault.code == Code::disconnected || fault.code == Code::in_doubt;
}

[[noreturn]] void strike(const Fault& fault, std::string_view call) {
  throw Error(fault.code, "failed on purpose at " + std::string(call), std::string(call));
}

/// Makes the call unless a fault hits it first; `on_fault` runs before the fault is thrown.
template <class Call, class OnFault>
auto strike_or(FaultPlan& plan, db::Lane lane, std::string_view name, Call call, OnFault on_fault) {
  const auto fault = plan.next(name, lane);
  if (!fault) return call();
  if (fault->when == Fault::When::after) static_cast<void>(call());
  on_fault(*fault);
  strike(*fault, name);
}

}  // namespace

FaultySession::FaultySession(Session& real, std::shared_ptr<FaultPlan> plan, db::Lane lane)
    : real_(real), plan_(std::move(plan)), lane_(lane) {}

std::int64_t FaultySession::run(const Statement& statement, Params params, const RowSink& sink) {
  return strike_or(
      *plan_, lane_, statement.name, [&] { return real_.run(statement, params, sink); },
      [](const Fault&) {});
}

std::int64_t FaultySession::run_many(const Statement& statement, const Batch& batch,
                                     const RowSink& sink) {
  return strike_or(
      *plan_, lane_, statement.name, [&] { return real_.run_many(statement, batch, sink); },
      [](const Fault&) {});
}

std::int64_t FaultySession::execute(std::string_view sql, Params params, const RowSink& sink) {
  return strike_or(
      *plan_, lane_, "execute", [&] { return real_.execute(sql, params, sink); },
      [](const Fault&) {});
}

FaultyConnection::FaultyConnection(std::unique_ptr<db::Connection> real,
                                   std::shared_ptr<FaultPlan> plan, db::Lane lane)
    : real_(std::move(real)), plan_(std::move(plan)), lane_(lane) {}

template <class Call>
auto FaultyConnection::with_fault(std::string_view name, Call call) {
  require_connected();
  return strike_or(*plan_, lane_, name, call, [this](const Fault& fault) {
    if (drops(fault)) drop();
  });
}

std::int64_t FaultyConnection::run(const Statement& statement, Params params, const RowSink& sink) {
  return with_fault(statement.name, [&] { return real_->run(statement, params, sink); });
}

std::int64_t FaultyConnection::run_many(const Statement& statement, const Batch& batch,
                                        const RowSink& sink) {
  return with_fault(statement.name, [&] { return real_->run_many(statement, batch, sink); });
}

std::int64_t FaultyConnection::execute(std::string_view sql, Params params, const RowSink& sink) {
  return with_fault("execute", [&] { return real_->execute(sql, params, sink); });
}

void FaultyConnection::script(std::string_view sql) {
  with_fault("script", [&] { real_->script(sql); });
}

/// A begin that fails leaves no transaction, even if the real one had begun.
void FaultyConnection::begin() {
  require_connected();
  strike_or(
      *plan_, lane_, "begin", [&] { real_->begin(); },
      [this](const Fault& fault) {
        real_->rollback();
        if (drops(fault)) drop();
      });
}

db::Committed FaultyConnection::commit() {
  if (dropped_) {
    real_->rollback();
    return db::Committed::no;
  }
  const auto fault = plan_->next("commit", lane_);
  return fault ? commit_with(*fault) : real_->commit();
}

db::Committed FaultyConnection::commit_with(const Fault& fault) {
  auto answer = drops(fault) ? db::Committed::in_doubt : db::Committed::no;
  if (fault.when == Fault::When::after) {
    // A commit that really was refused cannot be made doubtful by losing the answer to it, but
    // the caller cannot know that.
    static_cast<void>(real_->commit());
    answer = db::Committed::in_doubt;
  }
  if (drops(fault)) {
    drop();
  } else {
    real_->rollback();
  }
  return answer;
}

Duration FaultyConnection::sync_clock() {
  if (plan_->away()) drop();
  require_connected();
  return real_->sync_clock();
}

void FaultyConnection::reconnect() {
  if (plan_->away()) throw Error(Code::disconnected, "the database is away on purpose");
  real_->reconnect();
  dropped_ = false;
}

void FaultyConnection::require_connected() const {
  if (dropped_) throw Error(Code::disconnected, "the connection was dropped on purpose");
}

void FaultyConnection::drop() noexcept {
  real_->rollback();
  dropped_ = true;
}

FaultyDatabase::FaultyDatabase(std::shared_ptr<db::Database> real, std::shared_ptr<FaultPlan> plan)
    : real_(std::move(real)), plan_(std::move(plan)) {}

std::unique_ptr<db::Connection> FaultyDatabase::connect(db::Lane lane) {
  if (plan_->away()) throw Error(Code::disconnected, "the database is away on purpose");
  return std::make_unique<FaultyConnection>(real_->connect(lane), plan_, lane);
}

}  // namespace holdfast::test
