#include "queue/settle.hpp"

#include <unordered_set>

#include "queue/apply.hpp"
#include "queue/finals.hpp"
#include "store/rows.hpp"

namespace holdfast::queue {

using store::Access;
using store::Sql;

namespace {

/// Success without a hook is the common end, and needs to know nothing of the row.
bool is_plain_success(const Settling& settling, const Ending& ending) {
  return ending.happened.event == Event::succeeded &&
         settling.hooks.on_success(ending.kind) == nullptr;
}

/// Settles the plain successes of a round; returns the ids that it ended.
std::unordered_set<JobId> settle_plain(const Settling& settling, std::span<const Ending> endings) {
  std::vector<FinalEnd> ends;
  ends.reserve(endings.size());
  for (const Ending& ending : endings) {
    if (is_plain_success(settling, ending)) ends.push_back({ending.lease, ending.started_at});
  }
  return make_final(settling, {"succeeded"}, ends);
}

/// Why a guarded write found no row: gone for good, held by somebody for a moment, or settled by
/// this very lease when an answer was lost.
Settlement explain_miss(Access access, const Lease& lease) {
  bool ours = false;
  access.run(Sql::find_lease, {lease.id}, [&](const Row& row) { ours = is_held(row, lease); });
  if (ours) return Settlement::held;
  return settled_by(access, lease) ? Settlement::already_settled : Settlement::lease_lost;
}

}  // namespace

bool settled_by(Access access, const Lease& lease) {
  bool settled = false;
  bool lost = false;
  access.run(Sql::settled_by, {lease.id, lease.fence}, [&](const Row& row) {
    (row.text(0) == to_string(Event::lost) ? lost : settled) = true;
  });
  return settled && !lost;
}

bool is_held(const Row& row, const Lease& lease) {
  return row.integer(0) == lease.fence &&
         store::optional_integer(row, 1) == std::optional(lease.claim_id);
}

Lease lease_of(const JobRow& running) {
  return {running.id, running.fence, running.claim_id.value_or(0)};
}

std::vector<Settlement> settle(const Settling& settling, std::span<const Ending> endings) {
  const auto ended = settle_plain(settling, endings);
  std::vector<Settlement> answers;
  answers.reserve(endings.size());
  for (const Ending& ending : endings) {
    const bool done = is_plain_success(settling, ending) && ended.contains(ending.lease.id);
    answers.push_back(done ? Settlement::settled : settle_one(settling, ending));
  }
  return answers;
}

Settlement settle_one(const Settling& settling, const Ending& ending) {
  const Lease& lease = ending.lease;
  std::optional<JobRow> job;
  settling.access.run(Sql::lock_lease, {lease.id, lease.fence, lease.claim_id},
                      [&](const Row& row) { job = store::read_job(row); });
  if (!job) return explain_miss(settling.access, lease);
  return settle_locked(settling, *job, ending.happened, ending.started_at);
}

Settlement settle_locked(const Settling& settling, const JobRow& job, const Happened& happened,
                         Time started_at) {
  const RetryPolicy policy = settling.policies.retry(job);
  const Facts facts = facts_of(settling, job, happened, policy);
  const Change change = decide(facts, happened, settling.now, policy, random_spread());
  if (change.to == Change::To::start) {
    // It was to end when it was picked, and its contract has changed since: the next pick starts
    // it.
    return settle_locked(settling, job, {.event = Event::released, .started = false}, started_at);
  }
  apply(settling, job, change, started_at);
  return Settlement::settled;
}

}  // namespace holdfast::queue
