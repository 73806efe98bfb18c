#include "worker/intake.hpp"

#include <algorithm>
#include <iterator>

#include "queue/due.hpp"
#include "worker/context.hpp"

namespace holdfast::worker {

namespace {

/// Many queues are looked at in several transactions, each short: others wait for the write lock.
constexpr std::chrono::milliseconds look_max{5};
constexpr std::chrono::seconds discovery_interval{1};

/// A question that costs more walks over ready jobs that cannot be run here. Claims, which have a
/// cursor, do without it for a while.
constexpr std::chrono::milliseconds question_cheap{10};

/// Queues that live_queues answers at most. More of them are served a page at a time.
constexpr std::size_t page_size = 1000;

}  // namespace

Intake::Intake(Context& context, std::shared_ptr<Crew> crew, std::vector<std::string> queues,
               bool every, std::set<std::string> except)
    : context_(context),
      crew_(std::move(crew)),
      named_(std::move(queues)),
      every_(every),
      except_(std::move(except)),
      queues_(named_) {}

int Intake::wanted(Steady now) const { return now < next_look_ ? 0 : crew_->lane().room(now); }

std::vector<Catch> Intake::claim(store::Access access, Time now, const Contract& contract,
                                 int limit) {
  discover(access);
  std::vector<Catch> catches;
  const Steady began = steady_now();
  std::size_t looked = 0;
  int room = limit;
  for (; looked < queues_.size() && room > 0; ++looked) {
    if (looked > 0 && steady_now() - began > look_max) break;
    const std::string& queue = queues_.at((turn_ + looked) % queues_.size());
    const Duration lease = contract.policies.lease(queue, context_.options.lease);
    for (queue::Claim& claim : claimer(queue, contract).claim(access, now, lease, room)) {
      room -= static_cast<int>(claim.jobs.size());
      catches.push_back({std::move(claim), lease});
    }
  }
  if (!queues_.empty()) turn_ = (turn_ + std::max<std::size_t>(looked, 1)) % queues_.size();
  idle_ = catches.empty();
  // A look that filled the room, or was cut short, goes on as soon as there is room again.
  saw_everything_ = room > 0 && looked == queues_.size();
  next_look_ = {};
  eager_ = !saw_everything_;
  return catches;
}

std::optional<Time> Intake::next_due(store::Access access, Time now, const Contract& contract) {
  discover(access);
  if (!page_after_.empty()) return now;  // there are more queues than one question goes through
  const Steady began = steady_now();
  if (began < ask_again_) return now;
  const auto due = queue::next_due(access, queues_, contract.kinds, now);
  const Duration cost = std::chrono::duration_cast<Duration>(steady_now() - began);
  if (cost > question_cheap) ask_again_ = steady_now() + 20 * cost;
  if (due && *due <= now) reset_cursors();  // it may be behind them
  return due;
}

void Intake::reset_cursors() {
  for (auto& [queue, claimer] : claimers_) claimer.reset();
}

void Intake::discover(store::Access access) {
  if (!every_) return;
  const Steady now = steady_now();
  if (!idle_ && now - discovered_ < discovery_interval) return;
  discovered_ = now;
  queues_ = named_;
  const std::vector<std::string> page = next_page(access, page_after_);
  for (const std::string& queue : page) {
    if (serves(queue)) queues_.push_back(queue);
  }
  page_after_ = page.size() < page_size ? "" : page.back();
  std::erase_if(claimers_, [&](const auto& entry) {
    return std::find(queues_.begin(), queues_.end(), entry.first) == queues_.end();
  });
}

/// The queues with live jobs beyond `after`, in order.
std::vector<std::string> Intake::next_page(store::Access access, std::string_view after) {
  std::vector<std::string> page;
  access.run(store::Sql::live_queues, {after},
             [&](const Row& row) { page.emplace_back(row.text(0)); });
  return page;
}

/// Of the queues that nobody named.
bool Intake::serves(const std::string& queue) const {
  return std::find(named_.begin(), named_.end(), queue) == named_.end() && !except_.contains(queue);
}

queue::Claimer& Intake::claimer(const std::string& queue, const Contract& contract) {
  if (kinds_ != contract.kinds) {
    claimers_.clear();
    kinds_ = contract.kinds;
  }
  const auto place = claimers_.find(queue);
  if (place != claimers_.end()) return place->second;
  queue::Claimer claimer(queue, {context_.incarnation, kinds_}, context_.store->sql().dialect());
  return claimers_.emplace(queue, std::move(claimer)).first->second;
}

void Intake::look_at(Steady when) noexcept {
  next_look_ = when;
  eager_ = false;
}

void Intake::knock() noexcept {
  next_look_ = {};
  idle_ = true;
  eager_ = context_.store->sql().dialect() == Dialect::postgres;
}

void Intake::wake() {
  knock();
  reset_cursors();
}

std::vector<std::string> Intake::all_queues(store::Access access) const {
  std::vector<std::string> all = named_;
  if (!every_) return all;
  std::string after;
  for (auto page = next_page(access, after); !page.empty(); page = next_page(access, after)) {
    std::copy_if(page.begin(), page.end(), std::back_inserter(all),
                 [&](const std::string& queue) { return serves(queue); });
    after = page.back();
  }
  return all;
}

}  // namespace holdfast::worker
