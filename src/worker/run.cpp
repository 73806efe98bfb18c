#include "holdfast/run.hpp"

#include <utility>

#include "holdfast/error.hpp"
#include "worker/attempt.hpp"
#include "worker/ending.hpp"

namespace holdfast {

Deferred::Deferred(std::shared_ptr<detail::Attempt> attempt) : attempt_(std::move(attempt)) {}

Deferred& Deferred::operator=(Deferred&& other) noexcept {
  if (this == &other) return *this;
  const Deferred dropped(std::exchange(attempt_, std::exchange(other.attempt_, nullptr)));
  return *this;
}

Deferred::~Deferred() {
  if (attempt_) attempt_->handle_dropped();
}

void Deferred::settle(Outcome outcome) {
  if (!attempt_) throw Error(Code::misuse, "this settle handle was used or moved from");
  auto happened = worker::happened(std::move(outcome));
  if (!happened) throw Error(Code::misuse, "a deferred attempt cannot be deferred again");
  std::exchange(attempt_, nullptr)->handle_settled(*std::move(happened));
}

stop_token Deferred::stop() const { return attempt_ ? attempt_->stop() : stop_token{}; }

Run::Run(std::shared_ptr<detail::Attempt> attempt) : attempt_(std::move(attempt)) {}

const JobRow& Run::job() const { return attempt_->job(); }

const std::string& Run::idempotency_key() const { return attempt_->idempotency_key(); }

stop_token Run::stop() const { return attempt_->stop(); }

bool Run::cancel_requested() const { return attempt_->cancel_requested(); }

Settled Run::done_in(const std::function<void(Session&)>& effect) {
  return attempt_->done_in(effect);
}

Deferred Run::defer() {
  attempt_->take_handle();
  return Deferred(attempt_);
}

}  // namespace holdfast
