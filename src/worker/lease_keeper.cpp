#include "worker/lease_keeper.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "store/rows.hpp"
#include "worker/attempt.hpp"
#include "worker/context.hpp"

namespace holdfast::worker {

using store::Access;
using store::Sql;

namespace {

/// A lease of 500 ms leaves no time for long pauses.
Duration reconnect_within(const Context& context) {
  return std::min<Duration>(context.options.lease / 10, std::chrono::seconds(2));
}

}  // namespace

LeaseKeeper::LeaseKeeper(Context& context, OpenClaims& claims)
    : context_(context),
      claims_(claims),
      link_(context, db::Lane::keeper, "lease renewal", reconnect_within(context)) {}

void LeaseKeeper::run(const std::stop_token& stop) {
  try {
    while (context_.keeper_alarm.wait(stop)) step();
  } catch (...) {
    context_.fail(std::current_exception());
  }
}

void LeaseKeeper::step() {
  if (db::Connection* connection = link_.ready()) {
    try {
      renew(*connection);
      watch_cancels(*connection);
    } catch (const Error& error) {
      link_.failed(error);
    }
  }
  if (claims_.empty()) return;
  const Steady next = std::min(claims_.next_renewal(), cancels_at_);
  context_.keeper_alarm.set(std::max(next, link_.retry_at()));
}

void LeaseKeeper::renew(db::Connection& connection) {
  const Steady asked = steady_now();
  const auto due = claims_.due(asked);
  if (due.empty()) return;
  connection.sync_clock();
  std::set<std::int64_t> renewed;
  Steady locked{};
  {
    db::Transaction transaction(connection, db::Transaction::Begin::with_first_statement);
    locked = steady_now();  // not before: the wait for the lock does not shorten the lease
    const Time now = connection.now();
    Batch batch({Column::integer, Column::integer, Column::text});
    for (const auto& [claim, lease] : due) {
      batch.add({store::micros(now + lease), claim, context_.incarnation});
    }
    const Access access{connection, context_.store->sql()};
    access.run_many(Sql::renew_claims, batch,
                    [&](const Row& row) { renewed.insert(row.integer(0)); });
    transaction.commit_or_throw();
  }
  for (const auto& [claim, lease] : due) {
    renewed.contains(claim) ? claims_.renewed(claim, asked, locked) : tell_lost(claim);
  }
  context_.watchdog_alarm.set(claims_.next_expiry());
  link_.worked();
}

// A claim that closed a moment ago is not there either; its attempts have answered.
void LeaseKeeper::tell_lost(std::int64_t claim) {
  int open = 0;
  for (const AttemptPtr& attempt : claims_.lost(claim)) {
    if (!attempt->open()) continue;
    ++open;
    attempt->raise(detail::Attempt::Stop::lease);
  }
  if (open == 0) return;
  context_.log.warning("the lease of " + std::to_string(open) +
                       " running jobs was taken away: they were told to stop");
}

void LeaseKeeper::watch_cancels(db::Connection& connection) {
  const Steady now = steady_now();
  if (now < cancels_at_) return;
  cancels_at_ = now + cancel_interval();
  std::unordered_map<JobId, AttemptPtr> running;
  std::vector<JobId> ids;
  for (AttemptPtr& attempt : context_.floor.attempts()) {
    ids.push_back(attempt->job().id);
    running.emplace(ids.back(), std::move(attempt));
  }
  if (ids.empty()) return;
  const store::StatementSet& sql = context_.store->sql();
  std::vector<AttemptPtr> asked;
  Access{connection, sql}.run(
      Sql::cancels_asked, {store::list_of(sql.dialect(), ids)}, [&](const Row& row) {
        const auto place = running.find(row.integer(0));
        if (place == running.end() || place->second->job().fence != row.integer(1)) return;
        asked.push_back(place->second);
      });
  for (const AttemptPtr& attempt : asked) attempt->request_cancel();
}

Duration LeaseKeeper::cancel_interval() const {
  return std::min<Duration>(std::chrono::seconds(1), context_.options.lease / 3);
}

}  // namespace holdfast::worker
