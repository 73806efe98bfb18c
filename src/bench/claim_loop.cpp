#include "bench/claim_loop.hpp"

#include <algorithm>
#include <vector>

#include "bench/plan.hpp"
#include "bench/work.hpp"
#include "holdfast/error.hpp"
#include "queue/claim.hpp"
#include "queue/settle.hpp"
#include "queue/store_state.hpp"

namespace holdfast::bench {

double claim_and_settle(const Store& store, std::int64_t jobs, int batch, const stop_token& stop) {
  auto& state = *store.state();
  const auto connection = state.database().connect(db::Lane::normal);
  const store::Access access{*connection, state.sql()};
  const auto policies = queue::Policies::read(access);
  const queue::Hooks hooks;
  queue::Claimer claimer("default", {"bench", {std::string(job_kind)}}, connection->dialect());
  std::vector<queue::Ending> endings;
  std::int64_t claimed = 0;
  std::int64_t settled = 0;
  const Patience patience;
  const Steady begin = std::chrono::steady_clock::now();
  do {
    require_going_on(stop);
    db::Transaction transaction(*connection);
    const Time now = connection->now();
    for (const auto answer : queue::settle({access, policies, hooks, "bench", now}, endings)) {
      if (answer == queue::Settlement::settled) ++settled;
    }
    endings.clear();
    const bool enough = batch <= Patience::jobs_max && patience.over();
    const auto limit = enough ? 0 : std::min<std::int64_t>(batch, jobs - claimed);
    for (const auto& claim :
         claimer.claim(access, now, std::chrono::seconds(30), static_cast<int>(limit))) {
      for (const auto& job : claim.jobs) {
        endings.push_back({queue::lease_of(job), job.kind, {}, now});
      }
      claimed += static_cast<std::int64_t>(claim.jobs.size());
    }
    transaction.commit_or_throw();
  } while (!endings.empty());
  const double rate = per_second(settled, begin);
  if (settled != claimed || (claimed < jobs && !patience.over())) {
    throw Error(Code::internal, "benchmark: " + std::to_string(settled) + " of " +
                                    std::to_string(jobs) + " jobs were settled");
  }
  return rate;
}

}  // namespace holdfast::bench
