#include "worker/backlog.hpp"

#include <algorithm>
#include <iterator>

namespace holdfast::worker {

namespace {

constexpr std::chrono::milliseconds held_pause{5};
constexpr std::chrono::seconds pause_first{1};
constexpr std::chrono::minutes pause_max{1};

}  // namespace

void Backlog::add(std::vector<Answer> answers) {
  for (Answer& answer : answers) pending_.push_back({std::move(answer)});
}

std::vector<Backlog::Pending> Backlog::take(Steady now, std::size_t limit) {
  std::vector<Pending> taken;
  std::vector<Pending> left;
  for (Pending& each : pending_) {
    const bool due = each.not_before <= now && taken.size() < limit;
    (due ? taken : left).push_back(std::move(each));
  }
  pending_ = std::move(left);
  return taken;
}

void Backlog::put_back(std::vector<Pending> pending) {
  pending_.insert(pending_.begin(), std::make_move_iterator(pending.begin()),
                  std::make_move_iterator(pending.end()));
}

void Backlog::hold(Pending pending) {
  pending.not_before = steady_now() + held_pause;
  pending_.push_back(std::move(pending));
}

void Backlog::postpone(Pending pending) {
  pending.pause = std::clamp<Duration>(pending.pause * 2, pause_first, pause_max);
  pending.not_before = steady_now() + pending.pause;
  pending_.push_back(std::move(pending));
}

Steady Backlog::next() const {
  Steady next = never;
  for (const Pending& each : pending_) next = std::min(next, each.not_before);
  return next;
}

}  // namespace holdfast::worker
