#include "worker/intake.hpp"

#include <algorithm>

#include "base/random.hpp"
#include "worker/context.hpp"

namespace holdfast::worker {

namespace {

/// Many queues are looked at in several transactions, each short: others wait for the write lock.
constexpr std::chrono::milliseconds look_max{5};
constexpr std::chrono::seconds discovery_interval{1};

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
  plan_next_look(room > 0 && looked == queues_.size());
  return catches;
}

// A look that filled the room, or was cut short, goes on as soon as there is room again.
void Intake::plan_next_look(bool saw_everything) {
  const double spread = 0.75 + 0.25 * base::random_unit();
  const auto pause = std::chrono::duration_cast<Duration>(context_.options.poll * spread);
  next_look_ = saw_everything ? steady_now() + pause : Steady{};
}

void Intake::discover(store::Access access) {
  if (!every_) return;
  const Steady now = steady_now();
  if (!idle_ && now - discovered_ < discovery_interval) return;
  discovered_ = now;
  queues_ = named_;
  access.run(store::Sql::live_queues, {}, [&](const Row& row) {
    std::string queue(row.text(0));
    const bool known = std::find(named_.begin(), named_.end(), queue) != named_.end();
    if (!known && !except_.contains(queue)) queues_.push_back(std::move(queue));
  });
  std::erase_if(claimers_, [&](const auto& entry) {
    return std::find(queues_.begin(), queues_.end(), entry.first) == queues_.end();
  });
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

void Intake::wake() {
  next_look_ = {};
  idle_ = true;
  for (auto& [queue, claimer] : claimers_) claimer.reset();
}

std::vector<std::string> Intake::queues() const { return queues_; }

}  // namespace holdfast::worker
