#include "worker/context.hpp"

#include "worker/incarnation.hpp"

namespace holdfast::worker {

Context::Context(Store store_, Handlers handlers_, WorkerOptions options_)
    : store(store_.state()),
      handlers(std::move(handlers_)),
      hooks(handlers),
      options(std::move(options_)),
      incarnation(new_incarnation()),
      log(options.log),
      floor(options.lease, options.deferred_max),
      completions(store->database(), std::max(1, options.connections_max - 3)) {}

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

store::Sql Context::lock_row() const {
  return store->sql().dialect() == Dialect::postgres ? store::Sql::lock_job
                                                     : store::Sql::find_lease;
}

}  // namespace holdfast::worker
