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
  if (answers_.size() == 1 || answers_.size() == crowd) notify();
}

void Inbox::hurry() {
  const std::lock_guard lock(mutex_);
  hurried_ = true;
  notify();
}

void Inbox::wake() {
  const std::lock_guard lock(mutex_);
  woken_ = true;
  notify();
}

void Inbox::knock() {
  const std::lock_guard lock(mutex_);
  knocked_ = true;
  if (wants_work_) notify();
}

void Inbox::notify() {
  changed_.notify_one();
  if (beside_) bell_->ring();
}

bool Inbox::has_mail() const {
  return !answers_.empty() || hurried_ || woken_ || (knocked_ && wants_work_);
}

bool Inbox::wait(Steady until, bool wants_work) {
  std::unique_lock lock(mutex_);
  wants_work_ = wants_work;
  if (until == never) {
    changed_.wait(lock, [&] { return has_mail(); });
  } else {
    changed_.wait_until(lock, until, [&] { return has_mail(); });
  }
  const bool mail = has_mail();
  wants_work_ = false;
  return mail;
}

bool Inbox::wait_beside(int descriptor, Steady until, bool wants_work) {
  std::unique_lock lock(mutex_);
  if (!bell_) bell_.emplace();
  wants_work_ = wants_work;
  if (!has_mail()) {
    beside_ = true;
    lock.unlock();
    base::wait_readable(bell_->descriptor(), descriptor, until);
    lock.lock();
    beside_ = false;
    bell_->clear();
  }
  const bool mail = has_mail();
  wants_work_ = false;
  return mail;
}

void Inbox::wait_for_company(Duration moment) {
  std::unique_lock lock(mutex_);
  changed_.wait_until(lock, steady_now() + moment,
                      [&] { return hurried_ || woken_ || answers_.size() >= crowd; });
}

Inbox::Mail Inbox::take() {
  const std::lock_guard lock(mutex_);
  hurried_ = false;
  return {std::exchange(answers_, {}), std::exchange(woken_, false),
          std::exchange(knocked_, false)};
}

bool Inbox::empty() const {
  const std::lock_guard lock(mutex_);
  return answers_.empty();
}

}  // namespace holdfast::worker
