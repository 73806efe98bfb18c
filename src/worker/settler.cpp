#include "worker/settler.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "worker/context.hpp"

namespace holdfast::worker {

using queue::Lease;
using queue::Settlement;
using Pending = Backlog::Pending;

namespace {

std::vector<Lease> answered_leases(std::span<const Pending> pending,
                                   std::span<const Settlement> settlements) {
  std::vector<Lease> leases;
  leases.reserve(pending.size());
  for (std::size_t i = 0; i < pending.size(); ++i) {
    if (settlements[i] != Settlement::held) leases.push_back(pending[i].answer.ending.lease);
  }
  return leases;
}

/// The first line of a reason, and not too much of it.
std::string_view headline(std::string_view reason) {
  constexpr std::size_t longest = 300;
  return reason.substr(0, std::min(reason.find('\n'), longest));
}

}  // namespace

void Settler::tell_failure(const queue::Ending& ending) {
  using queue::Event;
  switch (ending.happened.event) {
    case Event::failed:
    case Event::timed_out:
    case Event::undecodable:
    case Event::quarantine_decided: break;
    default: return;
  }
  context_.log.info("job " + std::to_string(ending.lease.id) + " (" + ending.kind + ") " +
                    std::string(queue::to_string(ending.happened.event)) + ": " +
                    std::string(headline(ending.happened.reason)));
}

std::vector<Settlement> Settler::write(const queue::Settling& settling,
                                       std::span<const Pending> pending) {
  std::vector<queue::Ending> endings;
  endings.reserve(pending.size());
  for (const Pending& each : pending) {
    if (!each.answer.written) endings.push_back(each.answer.ending);
  }
  const std::vector<Settlement> answers = queue::settle(settling, endings);

  std::vector<Settlement> settlements;
  settlements.reserve(pending.size());
  auto answer = answers.begin();
  for (const Pending& each : pending) {
    settlements.push_back(each.answer.written ? Settlement::settled : *answer++);
  }
  for (const std::int64_t claim : claims_.closed_by(answered_leases(pending, settlements))) {
    settling.access.run(store::Sql::delete_claim, {claim, settling.worker});
  }
  return settlements;
}

void Settler::written(std::vector<Pending> pending, std::span<const Settlement> settlements) {
  claims_.answered(answered_leases(pending, settlements));
  for (std::size_t i = 0; i < pending.size(); ++i) {
    if (settlements[i] == Settlement::held) {
      backlog_.hold(std::move(pending[i]));
      continue;
    }
    const Answer& answer = pending[i].answer;
    if (answer.written) continue;
    context_.tally.ended(answer.ending.happened.event, settlements[i]);
    if (settlements[i] == Settlement::settled) tell_failure(answer.ending);
    if (settlements[i] == Settlement::lease_lost) {
      context_.log.warning("job " + std::to_string(answer.ending.lease.id) +
                           ": its lease was lost, so its end changed nothing");
    }
  }
}

}  // namespace holdfast::worker
