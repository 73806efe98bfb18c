#include "worker/delivery.hpp"

#include <algorithm>
#include <utility>

#include "base/utf8.hpp"
#include "queue/apply.hpp"
#include "store/rows.hpp"
#include "worker/attempt.hpp"
#include "worker/context.hpp"

namespace holdfast::worker {

using queue::Event;
using queue::Happened;
using queue::Settling;
using store::Access;

namespace {

/// After a start, the keeper looks for cancels within this time.
constexpr std::chrono::seconds cancels_within{1};

/// The next start would be the third after two lost ones in a row.
bool is_suspect(Access access, const JobRow& job) {
  return job.attempt > 2 && queue::lost_in_a_row(access, job) >= 2;
}

bool starts(const Settling& settling, const JobRow& job) {
  Happened picked;
  picked.event = Event::picked;
  const RetryPolicy policy = settling.policies.retry(job);
  const queue::Facts facts = queue::facts_of(settling, job, picked, policy);
  return queue::decide(facts, picked, settling.now, policy, 0.0).to == queue::Change::To::start;
}

Happened end_of(Pick::Verdict verdict) {
  Happened happened;
  happened.event = Event::picked;
  if (verdict == Pick::Verdict::unreadable) {
    happened.event = Event::quarantine_decided;
    happened.failure = FailureClass::data;
    happened.reason = "payload is not valid UTF-8";
  }
  return happened;
}

}  // namespace

Parcel Delivery::examine(const Settling& settling, Catch taken, Steady began, Crew& crew) {
  Parcel parcel{taken.claim.id, taken.lease, settling.now, began, &crew};
  const auto by_id = [](const JobRow& a, const JobRow& b) { return a.id < b.id; };
  const auto& jobs = taken.claim.jobs;
  const auto [lowest, highest] = std::minmax_element(jobs.begin(), jobs.end(), by_id);
  origins_.cover(settling.access, lowest->id, highest->id, taken.claim.origin_from);
  for (JobRow& job : taken.claim.jobs) {
    parcel.picks.push_back(examine_job(settling, std::move(job)));
  }
  return parcel;
}

Pick Delivery::examine_job(const Settling& settling, JobRow job) {
  Pick pick{std::move(job)};
  const JobRow& row = pick.job;
  pick.idempotency_key = origins_.key(settling.access, row.id, row.revision);
  pick.limit = settling.policies.timeout(row);
  if (!starts(settling, row)) {
    pick.verdict = Pick::Verdict::ends;
  } else if (!base::valid_utf8(row.payload)) {
    pick.verdict = Pick::Verdict::unreadable;
  } else if (is_suspect(settling.access, row)) {
    pick.verdict = Pick::Verdict::start_alone;
  }
  return pick;
}

void Delivery::deliver(Parcel parcel) {
  using Verdict = Pick::Verdict;
  std::vector<AttemptPtr> attempts;
  std::vector<AttemptPtr> startable;
  std::vector<AttemptPtr> suspects;
  std::vector<std::pair<AttemptPtr, Verdict>> ended;
  for (Pick& pick : parcel.picks) {
    const Verdict verdict = pick.verdict;
    attempts.push_back(std::make_shared<detail::Attempt>(
        context_, detail::Attempt::Claimed{std::move(pick.job), std::move(pick.idempotency_key),
                                           pick.limit, verdict == Verdict::start_alone,
                                           parcel.claimed_at, parcel.began}));
    switch (verdict) {
      case Verdict::start: startable.push_back(attempts.back()); break;
      case Verdict::start_alone: suspects.push_back(attempts.back()); break;
      case Verdict::ends:
      case Verdict::unreadable: ended.emplace_back(attempts.back(), verdict); break;
    }
  }
  if (attempts.empty()) return;
  // Known to those who renew and watch before anything can run.
  claims_.open(parcel.claim, parcel.lease, parcel.began, attempts);
  const Steady cancels_at = steady_now() + cancels_within;
  context_->keeper_alarm.set(std::min(claims_.next_renewal(), cancels_at));
  context_->watchdog_alarm.set(claims_.next_expiry());
  for (const auto& [attempt, verdict] : ended) attempt->end_unstarted(end_of(verdict));
  cautious_ = !suspects.empty();
  keep_one(suspects);
  for (const AttemptPtr& attempt : suspects) attempt->hand_back();
  if (suspect_waits()) {
    for (const AttemptPtr& attempt : startable) attempt->hand_back();
  } else {
    route(*parcel.crew, startable);
  }
}

void Delivery::route(Crew& crew, const std::vector<AttemptPtr>& attempts) {
  if (attempts.empty() || crew.lane().put(attempts)) return;
  for (const AttemptPtr& attempt : attempts) attempt->hand_back();
}

void Delivery::keep_ours(db::Connection& connection, Parcel& parcel) const {
  std::erase_if(parcel.picks, [&](const Pick& pick) {
    return !context_->holds_lease(connection, queue::lease_of(pick.job));
  });
}

/// One suspect at a time; the others are better off elsewhere.
void Delivery::keep_one(std::vector<AttemptPtr>& suspects) {
  if (suspects.empty() || reserved()) return;
  suspect_ = std::move(suspects.back());
  suspect_since_ = steady_now();
  suspects.pop_back();
}

bool Delivery::reserved() const {
  return suspect_waits() || suspects_.lane().buffered() > 0 || context_->floor.reserved();
}

void Delivery::let_suspect_in(Steady now, Duration bound) {
  if (!suspect_waits()) return;
  const bool alone = claims_.attempts() <= 1;
  if (!alone && now < suspect_since_ + bound) return;
  const AttemptPtr suspect = std::exchange(suspect_, nullptr);
  route(suspects_, {suspect});
}

void Delivery::hand_suspect_back() {
  if (const AttemptPtr suspect = std::exchange(suspect_, nullptr)) suspect->hand_back();
}

}  // namespace holdfast::worker
