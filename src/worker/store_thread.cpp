#include "worker/store_thread.hpp"

#include <algorithm>

#include "holdfast/error.hpp"
#include "queue/due.hpp"
#include "queue/partitions.hpp"
#include "store/rows.hpp"
#include "worker/attempt.hpp"
#include "worker/context.hpp"

namespace holdfast::worker {

using queue::Settlement;
using queue::Settling;
using store::Access;
using store::Sql;
using Pending = Backlog::Pending;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

/// How long an answer waits for others, so that they share a transaction.
constexpr milliseconds company{2};

/// How far ahead drain waits for jobs that are not due yet.
constexpr std::chrono::minutes drain_horizon{1};

/// So many rows in a row that cannot be written are not the rows' fault.
constexpr int failures_max = 3;

constexpr Duration reconnect_pause_max = seconds(2);

std::size_t jobs_in(const std::vector<Parcel>& parcels) {
  std::size_t jobs = 0;
  for (const Parcel& parcel : parcels) jobs += parcel.picks.size();
  return jobs;
}

}  // namespace

StoreThread::StoreThread(std::shared_ptr<Context> context, OpenClaims& claims, Crew& suspects,
                         std::vector<Intake> intakes)
    : context_(std::move(context)),
      claims_(claims),
      intakes_(std::move(intakes)),
      settler_(*context_, claims, backlog_),
      delivery_(context_, claims, suspects),
      link_(*context_, db::Lane::claims, "claiming", reconnect_pause_max),
      size_(context_->store->sql().dialect(), context_->options.batch),
      wake_up_(*context_) {}

void StoreThread::run() {
  try {
    while (!over()) {
      wait();
      round();
    }
  } catch (...) {
    context_->fail(std::current_exception());
  }
  say_goodbye();
}

void StoreThread::stop_claiming() {
  claiming_ = false;
  context_->inbox.wake();
}

void StoreThread::finish(Steady until) {
  {
    const std::lock_guard lock(mutex_);
    finish_by_ = until;
  }
  context_->inbox.wake();
}

bool StoreThread::over() const {
  const std::lock_guard lock(mutex_);
  if (!finish_by_) return false;
  const Steady now = steady_now();
  if (now >= *finish_by_ || (context_->failed() && link_.retry_at() > now)) return true;
  return !doubt_ && backlog_.empty() && context_->inbox.empty() && !delivery_.suspect_waits();
}

Steady StoreThread::next_action() const {
  const Steady now = steady_now();
  Steady next = doubt_ ? now : backlog_.next();
  if (claiming_) {
    for (const Intake& intake : intakes_) {
      const Lane& lane = intake.crew().lane();
      if (lane.room(now) > 0) next = std::min(next, intake.next_look());
      if (lane.buffered() > 0) next = std::min(next, now + seconds(1));
    }
    if (!may_claim()) next = std::max(next, now + milliseconds(50));
  }
  next = std::min(next, wake_up_.next_action(wants_work(now)));
  if (delivery_.suspect_waits()) next = std::min(next, now + milliseconds(20));
  next = std::max(next, link_.retry_at());
  const std::lock_guard lock(mutex_);
  return finish_by_ ? std::min(next, *finish_by_) : next;
}

/// Whether new jobs would be claimed at once.
bool StoreThread::wants_work(Steady now) const {
  return claiming_ && may_claim() &&
         std::any_of(intakes_.begin(), intakes_.end(),
                     [&](const Intake& intake) { return intake.crew().lane().room(now) > 0; });
}

void StoreThread::wait() {
  const bool mail = wake_up_.wait(next_action(), wants_work(steady_now()));
  const bool answers = mail && !context_->inbox.empty();
  if (answers && context_->floor.size() > 0) context_->inbox.wait_for_company(company);
  Inbox::Mail taken = context_->inbox.take();
  backlog_.add(std::move(taken.answers));
  const bool news = wake_up_.take_news() || taken.knocked;
  for (Intake& intake : intakes_) {
    if (taken.woken) intake.wake();
    if (news) intake.knock();
  }
}

void StoreThread::round() {
  db::Connection* connection = link_.ready();
  if (connection == nullptr) return;
  try {
    wake_up_.attend(*connection, link_.openings());
    if (doubt_) resolve(*connection);
    if (write_and_claim(*connection)) link_.worked();
  } catch (const Error& error) {
    trouble(*connection, error);
  }
}

bool StoreThread::write_and_claim(db::Connection& connection) {
  const Steady began = steady_now();
  take_back_stale(began);
  attend_suspect(began);
  stage_ = Stage::claim;
  wake_up_.before_looks(connection, wants_work(began));
  std::vector<Look> looks_now = looks(began);
  auto pending = backlog_.take(began, static_cast<std::size_t>(size_.jobs()));
  if (pending.empty() && looks_now.empty()) return false;
  if (pending.empty()) keep_worthwhile(connection, looks_now);
  if (pending.empty() && looks_now.empty()) return true;

  const auto contract = context_->contracts.now();
  std::vector<Settlement> settlements;
  std::vector<Parcel> parcels;
  db::Committed committed = db::Committed::no;
  stage_ = Stage::settle;
  try {
    db::Transaction transaction(connection, db::Transaction::Begin::with_first_statement);
    const Steady locked = steady_now();  // leases count from here
    const Settling settling{{connection, context_->store->sql()},
                            contract->policies,
                            context_->hooks,
                            context_->incarnation,
                            connection.now()};
    settlements = settler_.write(settling, pending);
    stage_ = Stage::claim;
    parcels = claim(settling, looks_now, locked);
    const Steady written = steady_now();
    committed = transaction.commit();
    size_.took({pending.size() + jobs_in(parcels), written - locked, steady_now() - written,
                connection.others().busy});
  } catch (...) {
    for (const Look& look : looks_now) look.intake->wake();  // what they claimed is behind them
    backlog_.put_back(std::move(pending));
    throw;
  }
  if (committed != db::Committed::yes) {
    for (const Look& look : looks_now) look.intake->wake();
  }
  if (committed == db::Committed::in_doubt) {
    doubt_ = {std::move(pending), std::move(parcels)};
    throw Error(Code::in_doubt, "the connection ended during a commit");
  }
  if (committed == db::Committed::no) {
    backlog_.put_back(std::move(pending));
    throw Error(Code::busy, "a commit was refused");
  }
  claim_pause_ = {};
  history_made_ = false;
  const bool some_wait = std::any_of(pending.begin(), pending.end(), [](const Pending& each) {
    return each.answer.ending.happened.event != queue::Event::succeeded;
  });
  if (!pending.empty()) look_after_settles(began);
  settler_.written(std::move(pending), settlements);
  for (const Look& look : looks_now) plan_next(look);
  for (Parcel& parcel : parcels) delivery_.deliver(std::move(parcel));
  attend_suspect(steady_now());
  if (!looks_now.empty()) drain_if_done(connection);
  // Others have to know when those are due: this worker may be gone by then.
  if (some_wait) queue::wake_sleepers({connection, context_->store->sql()});
  return true;
}

/// A job that ended may be due again, sooner than anything that was known when the pause began.
void StoreThread::look_after_settles(Steady now) {
  for (Intake& intake : intakes_) {
    if (intake.next_look() > now + seconds(1)) intake.look_at({});
  }
}

std::vector<StoreThread::Look> StoreThread::looks(Steady now) {
  std::vector<Look> found;
  if (!claiming_ || !may_claim()) return found;
  first_ = (first_ + 1) % intakes_.size();  // none is always the last to get what is left
  for (std::size_t i = 0; i < intakes_.size(); ++i) {
    Intake& intake = intakes_.at((first_ + i) % intakes_.size());
    const int wanted = deferrable(intake.wanted(now));
    if (wanted > 0) found.push_back({&intake, wanted, false});
  }
  return found;
}

/// Leaves out the looks that would find nothing: an idle worker reads, and takes no write lock.
void StoreThread::keep_worthwhile(db::Connection& connection, std::vector<Look>& looks) {
  if (context_->options.drain) return;  // it has to know what is left after each look
  const Access access{connection, context_->store->sql()};
  const auto contract = context_->contracts.now();
  std::erase_if(looks, [&](Look& look) {
    if (look.intake->eager()) return false;
    const Time now = connection.now();
    const auto due = look.intake->next_due(access, now, *contract);
    look.promised = due && *due <= now;
    if (look.promised) return false;
    const auto left = due ? std::optional(steady_now() + (*due - now)) : std::nullopt;
    look.intake->look_at(wake_up_.after_nothing(left));
    return true;
  });
}

void StoreThread::plan_next(const Look& look) {
  Intake& intake = *look.intake;
  if (intake.found()) {
    const Steady next = wake_up_.after_found();
    if (intake.saw_everything()) intake.look_at(next);
  } else if (look.promised) {
    intake.look_at(wake_up_.after_held());
  } else if (intake.saw_everything()) {
    // When the next job is due is asked at once, except by a drain, which looks all the time.
    intake.look_at(context_->options.drain ? wake_up_.after_nothing({}) : Steady{});
  }
}

bool StoreThread::may_claim() const {
  return !context_->stopping.stop_requested() && !delivery_.reserved() && deferrable(1) > 0;
}

/// Deferred attempts keep no thread, so they are what bounds how many are open.
int StoreThread::deferrable(int wanted) const {
  if (context_->floor.deferred() == 0) return wanted;
  const auto open = static_cast<std::int64_t>(claims_.attempts());
  return static_cast<int>(
      std::clamp<std::int64_t>(context_->options.deferred_max - open, 0, wanted));
}

std::vector<Parcel> StoreThread::claim(const Settling& settling, const std::vector<Look>& looks,
                                       Steady began) {
  std::vector<Parcel> parcels;
  const auto contract = context_->contracts.now();
  int room = delivery_.cautious() ? 1 : size_.jobs();
  for (const Look& look : looks) {
    const int limit = std::min(room, look.wanted);
    if (limit <= 0) break;
    for (Catch& taken : look.intake->claim(settling.access, settling.now, *contract, limit)) {
      room -= static_cast<int>(taken.claim.jobs.size());
      parcels.push_back(delivery_.examine(settling, std::move(taken), began, look.intake->crew()));
    }
  }
  return parcels;
}

void StoreThread::resolve(db::Connection& connection) {
  for (const Pending& pending : doubt_->answers) {
    static_cast<void>(context_->holds_lease(connection, pending.answer.ending.lease));
  }
  for (Parcel& parcel : doubt_->parcels) delivery_.keep_ours(connection, parcel);
  Doubt doubt = *std::exchange(doubt_, std::nullopt);
  backlog_.put_back(std::move(doubt.answers));
  for (Parcel& parcel : doubt.parcels) delivery_.deliver(std::move(parcel));
}

void StoreThread::trouble(db::Connection& connection, const Error& error) {
  if (connection.broken()) delivery_.forget_origins();
  if (connection.broken() || concerns_database(error.code())) {
    link_.failed(error);
    return;
  }
  if (queue::is_missing_partition(error) && !history_made_) {
    history_made_ = true;  // once: if it did not help, the error is dealt with like any other
    try {
      queue::ensure_history(connection, context_->store->sql(), connection.now());
    } catch (const Error& deeper) {
      link_.failed(deeper);
    }
    return;
  }
  if (stage_ == Stage::settle) {
    one_by_one(connection);
    return;
  }
  claim_pause_ = std::clamp<Duration>(claim_pause_ * 2, milliseconds(100), seconds(5));
  for (Intake& intake : intakes_) intake.look_at(steady_now() + claim_pause_);
  context_->log.error(std::string("claiming: ") + error.what() + " (" + error.statement() +
                      "); trying again");
}

void StoreThread::one_by_one(db::Connection& connection) {
  auto pending = backlog_.take(steady_now(), static_cast<std::size_t>(context_->options.batch));
  int failures = 0;
  for (std::size_t i = 0; i < pending.size(); ++i) {
    try {
      write_one(connection, pending[i]);
      failures = 0;
    } catch (const Error& error) {
      const bool hopeless =
          connection.broken() || concerns_database(error.code()) || ++failures >= failures_max;
      if (hopeless) {
        backlog_.put_back({pending.begin() + static_cast<std::ptrdiff_t>(i), pending.end()});
        link_.failed(error);
        return;
      }
      context_->log.error("job " + std::to_string(pending[i].answer.ending.lease.id) +
                          ": its end could not be written: " + error.what() + "; trying again");
      backlog_.postpone(std::move(pending[i]));
    }
  }
}

void StoreThread::write_one(db::Connection& connection, const Pending& pending) {
  const auto contract = context_->contracts.now();
  const std::span<const Pending> alone(&pending, 1);
  db::Transaction transaction(connection, db::Transaction::Begin::with_first_statement);
  const Settling settling{{connection, context_->store->sql()},
                          contract->policies,
                          context_->hooks,
                          context_->incarnation,
                          connection.now()};
  const auto settlements = settler_.write(settling, alone);
  transaction.commit_or_throw();
  look_after_settles(steady_now());
  settler_.written({pending}, settlements);
}

void StoreThread::take_back_stale(Steady now) {
  for (Intake& intake : intakes_) {
    const auto stale = intake.crew().lane().take_back(now);
    if (stale.empty()) continue;
    for (const AttemptPtr& attempt : stale) attempt->hand_back();
    intake.wake();
    intake.look_at(now + seconds(1));
  }
}

void StoreThread::attend_suspect(Steady now) {
  if (!delivery_.suspect_waits()) return;
  if (!claiming_ || context_->stopping.stop_requested()) return delivery_.hand_suspect_back();
  for (Intake& intake : intakes_) {
    for (const AttemptPtr& attempt : intake.crew().lane().take_all()) attempt->hand_back();
  }
  delivery_.let_suspect_in(now, context_->options.lease);
}

void StoreThread::drain_if_done(db::Connection& connection) {
  const bool idle = backlog_.empty() && context_->inbox.empty() && claims_.empty();
  if (!context_->options.drain || !claiming_ || !idle) return;
  const std::int64_t horizon = store::micros(connection.now() + drain_horizon);
  const Access access{connection, context_->store->sql()};
  const std::string kinds = store::list_of(connection.dialect(), context_->contracts.now()->kinds);
  std::int64_t left = 0;
  for (const Intake& intake : intakes_) {
    for (const std::string& queue : intake.all_queues(access)) {
      access.run(Sql::count_workable, {queue, kinds, horizon},
                 [&](const Row& row) { left += row.integer(0); });
    }
  }
  if (left == 0) context_->stopping.request_stop();
}

void StoreThread::say_goodbye() {
  if (!backlog_.empty() || doubt_) {
    context_->log.error(std::to_string(backlog_.size() + (doubt_ ? doubt_->answers.size() : 0)) +
                        " results could not be written before the worker ended: their jobs run "
                        "again when their leases are over");
  }
  db::Connection* connection = link_.ready();
  if (connection == nullptr) return;
  try {
    wake_up_.leave(*connection);
    db::Transaction transaction(*connection);
    Access{*connection, context_->store->sql()}.run(
        Sql::stop_worker, {store::micros(connection->now()), context_->incarnation});
    transaction.commit_or_throw();
  } catch (const Error& error) {
    context_->log.warning(std::string("the worker's row could not be closed: ") + error.what());
  }
}

}  // namespace holdfast::worker
