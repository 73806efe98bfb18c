#include "bench/claim_loop.hpp"

#include <algorithm>

#include "bench/plan.hpp"
#include "bench/work.hpp"
#include "holdfast/error.hpp"
#include "queue/store_state.hpp"

namespace holdfast::bench {

namespace {

const std::string claim_loop_worker = "bench";

}  // namespace

ClaimLoop::ClaimLoop(const Store& store)
    : store_(store),
      connection_(store.state()->database().connect(db::Lane::claims)),
      policies_(queue::Policies::read({*connection_, store.state()->sql()})),
      claimer_("default", {claim_loop_worker, {std::string(job_kind)}}, connection_->dialect()) {}

double ClaimLoop::run(std::int64_t jobs, int batch, const stop_token& stop) {
  const store::Access access{*connection_, store_.state()->sql()};
  std::int64_t claimed = 0;
  std::int64_t settled = 0;
  const Patience patience;
  const Steady begin = std::chrono::steady_clock::now();
  do {
    require_going_on(stop);
    const bool enough = batch <= Patience::jobs_max && patience.over();
    const auto limit = enough ? 0 : std::min<std::int64_t>(batch, jobs - claimed);
    db::Transaction transaction(*connection_);
    const Time now = connection_->now();
    settled += settle(access, now);
    claimed += claim(access, now, static_cast<int>(limit));
    transaction.commit_or_throw();
  } while (!endings_.empty());
  const double rate = per_second(settled, begin);
  if (settled != claimed || (claimed < jobs && !patience.over())) {
    throw Error(Code::internal, "benchmark: " + std::to_string(settled) + " of " +
                                    std::to_string(jobs) + " jobs were settled");
  }
  return rate;
}

std::int64_t ClaimLoop::settle(store::Access access, Time now) {
  const auto answers = queue::settle({access, policies_, hooks_, claim_loop_worker, now}, endings_);
  endings_.clear();
  return std::count(answers.begin(), answers.end(), queue::Settlement::settled);
}

std::int64_t ClaimLoop::claim(store::Access access, Time now, int limit) {
  for (const auto& claim : claimer_.claim(access, now, std::chrono::seconds(30), limit)) {
    for (const auto& job : claim.jobs) {
      endings_.push_back({queue::lease_of(job), job.kind, {}, now});
    }
  }
  return static_cast<std::int64_t>(endings_.size());
}

}  // namespace holdfast::bench
