#include "worker/inbox.hpp"

#include <utility>

namespace holdfast::worker {

namespace {

/// Enough company: waiting longer would only make the transaction long.
constexpr std::size_t crowd = 250;

}  // namespace

void Inbox::hand_in(Answer answer) {
  const std::lock_guard lock(mutex_);
  answers_.push_back(std::move(answer));
  if (answers_.size() == 1 || answers_.size() == crowd) changed_.notify_one();
}

void Inbox::hurry() {
  const std::lock_guard lock(mutex_);
  hurried_ = true;
  changed_.notify_one();
}

void Inbox::wake() {
  const std::lock_guard lock(mutex_);
  woken_ = true;
  changed_.notify_one();
}

bool Inbox::wait(Steady until) {
  std::unique_lock lock(mutex_);
  const auto anything = [&] { return !answers_.empty() || hurried_ || woken_; };
  if (until != never) return changed_.wait_until(lock, until, anything);
  changed_.wait(lock, anything);
  return true;
}

void Inbox::wait_for_company(Duration moment) {
  std::unique_lock lock(mutex_);
  changed_.wait_until(lock, steady_now() + moment,
                      [&] { return hurried_ || woken_ || answers_.size() >= crowd; });
}

Inbox::Mail Inbox::take() {
  const std::lock_guard lock(mutex_);
  hurried_ = false;
  return {std::exchange(answers_, {}), std::exchange(woken_, false)};
}

bool Inbox::empty() const {
  const std::lock_guard lock(mutex_);
  return answers_.empty();
}

}  // namespace holdfast::worker
