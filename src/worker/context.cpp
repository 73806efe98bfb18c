#include "worker/context.hpp"

#include "worker/incarnation.hpp"

namespace holdfast::worker {

namespace {

/// Of the store thread, the lease keeper and maintenance.
constexpr int connections_of_threads = 3;

}  // namespace

Context::Context(Store store_, Handlers handlers_, WorkerOptions options_)
    : store(store_.state()),
      handlers(std::move(handlers_)),
      hooks(handlers),
      options(std::move(options_)),
      incarnation(new_incarnation()),
      log(options.log),
      floor(options.lease, options.deferred_max),
      completions(store->database(), options.connections_max - connections_of_threads) {}

void Context::fail(std::exception_ptr error) {
  {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::move(error);
  }
  stopping.request_stop();
  hurrying.request_stop();
}

bool Context::failed() const {
  const std::lock_guard lock(mutex_);
  return failure_ != nullptr;
}

void Context::rethrow_failure() const {
  const std::lock_guard lock(mutex_);
  if (failure_) std::rethrow_exception(failure_);
}

bool Context::holds_lease(db::Connection& connection, const queue::Lease& lease) const {
  const store::Access access{connection, store->sql()};
  bool holds = false;
  const auto compare = [&](const Row& row) { holds = queue::is_held(row, lease); };
  if (connection.dialect() == Dialect::sqlite) {
    access.run(store::Sql::find_lease, {lease.id}, compare);
    return holds;
  }
  const db::Transaction transaction(connection);
  access.run(store::Sql::limit_lock_wait);
  access.run(store::Sql::lock_job, {lease.id}, compare);
  return holds;
}

}  // namespace holdfast::worker
