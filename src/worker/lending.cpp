#include "worker/lending.hpp"

#include "holdfast/error.hpp"

namespace holdfast::worker {

Lending::Loan Lending::borrow(const std::stop_token& stop) {
  std::unique_ptr<db::Connection> connection;
  {
    std::unique_lock lock(mutex_);
    if (!returned_.wait(lock, stop, [&] { return lent_ < connections_max_; })) {
      throw Error(Code::busy, "the attempt was stopped while it waited for a connection");
    }
    ++lent_;
    if (!idle_.empty()) {
      connection = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  try {
    if (!connection) connection = database_.connect(db::Lane::normal);
    if (connection->broken()) connection->reconnect();
  } catch (...) {
    give_back(nullptr);
    throw;
  }
  return {*this, std::move(connection)};
}

void Lending::give_back(std::unique_ptr<db::Connection> connection) {
  const std::lock_guard lock(mutex_);
  --lent_;
  if (connection) idle_.push_back(std::move(connection));
  returned_.notify_one();
}

}  // namespace holdfast::worker
