#include "queue/company.hpp"

#include <utility>

#include "holdfast/error.hpp"

namespace holdfast::queue {

namespace {

/// Members of a group: a transaction stays short, and others get their turn at the file.
constexpr std::size_t group_max = 128;

/// How long the first of a group waits for those of the group before, who have just got their
/// answers and are about to enqueue again: less than a disk takes.
constexpr std::chrono::microseconds regulars_wait{100};

/// An error of one row, that the others would not meet without it.
bool concerns_row(Code code) {
  switch (code) {
    case Code::constraint:
    case Code::invalid:
    case Code::storage:
    case Code::misuse:
    case Code::internal: return true;
    default: return false;
  }
}

}  // namespace

std::vector<Enqueued> Company::enqueue(std::span<const NewJob> jobs, const Write& write) {
  Member self{jobs};
  std::unique_lock lock(mutex_);
  const bool first = gathering_ == nullptr;
  if (first) gathering_ = std::make_shared<Group>();
  const std::shared_ptr<Group> group = gathering_;
  group->members.push_back(&self);
  if (group->members.size() == group_max) gathering_ = nullptr;
  if (first) {
    lead(lock, *group, write);
  } else {
    if (group->members.size() == last_size_) changed_.notify_all();
    lock.unlock();
    group->over.wait(0);
  }
  if (self.error) std::rethrow_exception(self.error);
  return std::move(self.answers);
}

void Company::lead(std::unique_lock<std::mutex>& lock, Group& group, const Write& write) {
  changed_.wait(lock, [&] { return !writing_; });
  writing_ = true;
  await_regulars(lock, group);
  last_size_ = group.members.size();
  if (gathering_.get() == &group) gathering_ = nullptr;
  lock.unlock();
  write_group(group, write);
  lock.lock();
  writing_ = false;
  lock.unlock();
  changed_.notify_all();
  group.over = 1;
  group.over.notify_all();
}

/// Without it a group of one would be written first, and all the others after it.
void Company::await_regulars(std::unique_lock<std::mutex>& lock, const Group& group) {
  if (last_size_ < 2) return;
  changed_.wait_for(lock, regulars_wait, [&] { return group.members.size() >= last_size_; });
}

void Company::write_group(const Group& group, const Write& write) {
  if (group.members.size() == 1) return write_alone(*group.members.front(), write);
  try {
    write_together(group, write);
  } catch (const Error& error) {
    const bool one_by_one = concerns_row(error.code());
    for (Member* member : group.members) {
      member->error = std::current_exception();
      if (one_by_one) write_alone(*member, write);
    }
  } catch (...) {
    for (Member* member : group.members) member->error = std::current_exception();
  }
}

void Company::write_together(const Group& group, const Write& write) {
  std::vector<NewJob> jobs;
  for (const Member* member : group.members) {
    jobs.insert(jobs.end(), member->jobs.begin(), member->jobs.end());
  }
  const std::vector<Enqueued> answers = write(jobs);
  auto next = answers.begin();
  for (Member* member : group.members) {
    const auto end = next + static_cast<std::ptrdiff_t>(member->jobs.size());
    member->answers.assign(next, end);
    next = end;
  }
}

void Company::write_alone(Member& member, const Write& write) {
  try {
    member.answers = write(member.jobs);
    member.error = nullptr;
  } catch (...) {
    member.error = std::current_exception();
  }
}

}  // namespace holdfast::queue
