#pragma once

#include <memory>
#include <string>

#include "db/connection.hpp"
#include "support/fault_plan.hpp"

namespace holdfast::test {

/// A session that fails as a plan says; borrows the real one. What a fault in `before` hits is not
/// run; in `after` it is run, and then the call fails all the same.
class FaultySession final : public Session {
 public:
  FaultySession(Session& real, std::shared_ptr<FaultPlan> plan, db::Lane lane = db::Lane::normal);

  using Session::execute;
  using Session::run;

  [[nodiscard]] Dialect dialect() const override { return real_.dialect(); }
  std::int64_t run(const Statement& statement, Params params, const RowSink& sink) override;
  std::int64_t run_many(const Statement& statement, const Batch& batch,
                        const RowSink& sink) override;
  std::int64_t execute(std::string_view sql, Params params, const RowSink& sink) override;
  [[nodiscard]] ::sqlite3* sqlite() const override { return real_.sqlite(); }
  [[nodiscard]] ::pg_conn* postgres() const override { return real_.postgres(); }

 private:
  Session& real_;
  std::shared_ptr<FaultPlan> plan_;
  db::Lane lane_;
};

/// A connection that fails as a plan says. A fault that drops it rolls the transaction back, as a
/// server does, and leaves it broken until reconnect(). A fault in a commit becomes an answer:
/// `no` when the commit did not happen and everybody knows, else `in_doubt`.
class FaultyConnection final : public db::Connection {
 public:
  FaultyConnection(std::unique_ptr<db::Connection> real, std::shared_ptr<FaultPlan> plan,
                   db::Lane lane = db::Lane::normal);

  using Session::execute;
  using Session::run;

  [[nodiscard]] Dialect dialect() const override { return real_->dialect(); }
  std::int64_t run(const Statement& statement, Params params, const RowSink& sink) override;
  std::int64_t run_many(const Statement& statement, const Batch& batch,
                        const RowSink& sink) override;
  std::int64_t execute(std::string_view sql, Params params, const RowSink& sink) override;
  void script(std::string_view sql) override;
  [[nodiscard]] ::sqlite3* sqlite() const override { return real_->sqlite(); }
  [[nodiscard]] ::pg_conn* postgres() const override { return real_->postgres(); }

  void begin() override;
  [[nodiscard]] db::Committed commit() override;
  void rollback() noexcept override { real_->rollback(); }
  [[nodiscard]] bool in_transaction() const override { return real_->in_transaction(); }
  [[nodiscard]] db::Others others() const override { return real_->others(); }
  [[nodiscard]] Time now() override { return real_->now(); }
  Duration sync_clock() override;
  [[nodiscard]] bool broken() const override { return dropped_ || real_->broken(); }
  void reconnect() override;

 private:
  template <class Call>
  auto with_fault(std::string_view name, Call call);
  void require_connected() const;
  void drop() noexcept;
  db::Committed commit_with(const Fault& fault);

  std::unique_ptr<db::Connection> real_;
  std::shared_ptr<FaultPlan> plan_;
  db::Lane lane_;
  bool dropped_ = false;
};

/// A database whose connections fail as a plan says.
class FaultyDatabase final : public db::Database {
 public:
  FaultyDatabase(std::shared_ptr<db::Database> real, std::shared_ptr<FaultPlan> plan);

  [[nodiscard]] Dialect dialect() const override { return real_->dialect(); }
  [[nodiscard]] std::unique_ptr<db::Connection> connect(db::Lane lane) override;
  [[nodiscard]] std::string name() const override { return real_->name(); }

 private:
  std::shared_ptr<db::Database> real_;
  std::shared_ptr<FaultPlan> plan_;
};

}  // namespace holdfast::test
