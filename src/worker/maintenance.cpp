#include "worker/maintenance.hpp"

#include <unistd.h>

#include "base/random.hpp"
#include "holdfast/version.hpp"
#include "queue/due.hpp"
#include "queue/partitions.hpp"
#include "queue/sweep.hpp"
#include "store/rows.hpp"
#include "worker/context.hpp"
#include "worker/incarnation.hpp"

namespace holdfast::worker {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using store::Access;
using store::Sql;

namespace {

constexpr seconds alive_interval{30};

/// The server's clock is read again at each judgement; this is to hear of a jump before that.
constexpr seconds clock_interval{20};
constexpr std::chrono::days workers_kept{7};
constexpr seconds jump_max{1};

/// Who waits so long for the write lock cannot tell a dead worker from one that waits as well.
constexpr milliseconds lock_wait_max{100};

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ",") + name;
  return text;
}

std::string served(const WorkerOptions& options) {
  if (!options.shared_queues.empty()) return joined(options.shared_queues);
  std::vector<std::string> names;
  for (const auto& [queue, how] : options.queues) names.push_back(queue);
  return joined(names);
}

}  // namespace

Maintenance::Maintenance(Context& context)
    : context_(context), link_(context, db::Lane::normal, "maintenance", seconds(2)) {}

bool Maintenance::prepare() {
  Alarm pause;
  const std::stop_token stop = context_.stopping.get_token();
  while (!stop.stop_requested()) {
    if (db::Connection* connection = link_.ready()) {
      try {
        context_.store->require_usable(*connection);
        announce(*connection);
        read_contracts(*connection);
        link_.worked();
        return true;
      } catch (const Error& error) {
        if (!error.retryable() && error.code() != Code::in_doubt) throw;
        link_.failed(error);
      }
    }
    pause.set(link_.retry_at());
    static_cast<void>(pause.wait(stop));
  }
  return false;
}

void Maintenance::run(const std::stop_token& stop) {
  Alarm pause;
  try {
    while (!stop.stop_requested()) {
      step();
      pause.set(std::max(steady_now() + interval(), link_.retry_at()));
      if (!pause.wait(stop)) return;
    }
  } catch (...) {
    context_.fail(std::current_exception());
  }
}

/// Where nothing runs no lease can run out, and half of the looks are enough for the contracts.
Duration Maintenance::interval() const {
  const Duration usual = context_.options.maintenance;
  const Duration longest = claims_ == queue::House::Claims::none ? 2 * usual : usual;
  return std::chrono::duration_cast<Duration>(longest * (0.9 + 0.1 * base::random_unit()));
}

void Maintenance::step() {
  db::Connection* connection = link_.ready();
  if (connection == nullptr) return;
  try {
    if (steady_now() >= clock_at_) notice_jump(*connection);
    read_contracts(*connection);
    if (claims_ == queue::House::Claims::expired) sweep(*connection);
    say_alive(*connection);
    do_hourly(*connection);
    link_.worked();
  } catch (const Error& error) {
    link_.failed(error);
  }
}

void Maintenance::announce(db::Connection& connection) {
  const Access access{connection, context_.store->sql()};
  connection.sync_clock();
  const Time now = connection.now();
  queue::ensure_history(connection, context_.store->sql(), now);
  db::Transaction transaction(connection);
  access.run(Sql::write_worker, {context_.incarnation, host_name(), std::int64_t{::getpid()},
                                 std::string("holdfast ").append(version), served(context_.options),
                                 joined(context_.handlers.names()), store::micros(now)});
  queue::write_kinds(access, context_.handlers, context_.incarnation, now);
  transaction.commit_or_throw();
  seen_at_ = steady_now();
  hourly_at_ = steady_now() + hours(1);
}

void Maintenance::read_contracts(db::Connection& connection) {
  claims_ = context_.contracts.read({connection, context_.store->sql()}, connection.now(),
                                    context_.handlers, context_.log);
}

void Maintenance::notice_jump(db::Connection& connection) {
  clock_at_ = steady_now() + clock_interval;
  const Duration jump = connection.sync_clock();
  if (std::chrono::abs(jump) <= jump_max) return;
  const auto contract = context_.contracts.now();
  sweep_from_ = steady_now() + contract->policies.longest_lease(context_.options.lease);
  context_.log.warning("the clock jumped by " + std::to_string(jump.count()) +
                       " us: no lease is judged until one lease has passed");
}

void Maintenance::sweep(db::Connection& connection) {
  if (steady_now() < sweep_from_ || !lock_is_free(connection)) return;
  notice_jump(connection);
  if (steady_now() < sweep_from_ || !may_judge(connection)) return;
  const auto contract = context_.contracts.now();
  const queue::Swept swept = queue::sweep(connection.now(), connection, context_.store->sql(),
                                          contract->policies, context_.hooks);
  if (!swept.trouble.empty() && steady_now() >= trouble_told_at_ + minutes(1)) {
    trouble_told_at_ = steady_now();
    context_.log.error("taking over from a dead worker: " + swept.trouble + "; trying again");
  }
  if (swept.jobs == 0) return;
  context_.log.warning(std::to_string(swept.jobs) +
                       " jobs were taken from workers whose leases ran out");
  context_.inbox.wake();
  queue::wake_sleepers({connection, context_.store->sql()});  // if this worker has no room
}

bool Maintenance::lock_is_free(db::Connection& connection) {
  if (connection.dialect() != Dialect::sqlite) return true;
  try {
    const db::Transaction probe(connection);
  } catch (const Error&) {
    wait_for_renewals();
    throw;
  }
  if (connection.others().waited <= lock_wait_max) return true;
  wait_for_renewals();
  return false;
}

/// On SQLite leases that run out together are most often those of workers that all waited for the
/// same file: they get the time of one renewal, once. Who does not renew then is dead.
bool Maintenance::may_judge(db::Connection& connection) {
  if (connection.dialect() != Dialect::sqlite) return true;
  const Steady now = steady_now();
  const Access access{connection, context_.store->sql()};
  if (queue::expired_workers(access, connection.now()) < 2 || now < together_until_) return true;
  wait_for_renewals();
  together_until_ = sweep_from_ + context_.options.lease;
  return false;
}

void Maintenance::wait_for_renewals() {
  const auto contract = context_.contracts.now();
  sweep_from_ = steady_now() + contract->policies.longest_lease(context_.options.lease) / 3;
}

void Maintenance::say_alive(db::Connection& connection) {
  if (steady_now() < seen_at_ + alive_interval) return;
  seen_at_ = steady_now();
  db::Transaction transaction(connection);
  Access{connection, context_.store->sql()}.run(
      Sql::see_worker, {store::micros(connection.now()), context_.incarnation});
  transaction.commit_or_throw();
}

void Maintenance::do_hourly(db::Connection& connection) {
  if (steady_now() < hourly_at_) return;
  hourly_at_ = steady_now() + hours(1);
  const Time now = connection.now();
  queue::ensure_history(connection, context_.store->sql(), now);
  db::Transaction transaction(connection);
  Access{connection, context_.store->sql()}.run(Sql::prune_workers,
                                                {store::micros(now - workers_kept)});
  transaction.commit_or_throw();
}

}  // namespace holdfast::worker
