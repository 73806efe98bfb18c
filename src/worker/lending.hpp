#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <stop_token>
#include <vector>

#include "db/connection.hpp"

namespace holdfast::worker {

/// Connections for done_in: opened when first needed, kept for the next, never more than a given
/// number. Any thread; each loan belongs to the thread that took it.
class Lending {
 public:
  Lending(db::Database& database, int connections_max)
      : database_(database), connections_max_(connections_max) {}

  /// A connection on loan, given back at the end of the scope.
  class Loan {
   public:
    Loan(Lending& owner, std::unique_ptr<db::Connection> connection)
        : owner_(&owner), connection_(std::move(connection)) {}
    ~Loan() { owner_->give_back(std::move(connection_)); }
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;
    db::Connection& operator*() const noexcept { return *connection_; }

   private:
    Lending* owner_;
    std::unique_ptr<db::Connection> connection_;
  };

  /// Waits for a free one; Error(busy) when `stop` is raised before there is. Error(disconnected)
  /// when the database cannot be reached.
  [[nodiscard]] Loan borrow(const std::stop_token& stop);

 private:
  void give_back(std::unique_ptr<db::Connection> connection);

  db::Database& database_;
  const int connections_max_;
  std::mutex mutex_;  // guards all below
  std::condition_variable_any returned_;
  std::vector<std::unique_ptr<db::Connection>> idle_;
  int lent_ = 0;
};

}  // namespace holdfast::worker
