#include "queue/apply.hpp"

#include <algorithm>
#include <exception>
#include <optional>
#include <string>

#include "base/random.hpp"
#include "base/utf8.hpp"
#include "holdfast/error.hpp"
#include "queue/finals.hpp"
#include "store/rows.hpp"

namespace holdfast::queue {

using store::Sql;

namespace {

/// Longest error text that is kept, bytes.
constexpr std::size_t message_bytes_max = 8192;

Value failure_param(const std::optional<FailureClass>& failure) {
  if (!failure) return null;
  return to_string(*failure);
}

/// How many of the attempts that this budget has paid for ended so.
int count_outcome(const Settling& settling, const JobRow& job, std::string_view outcome) {
  std::int64_t count = 0;
  settling.access.run(Sql::count_outcome,
                      {job.id, job.revision, std::int64_t{job.attempt} - 1, outcome},
                      [&](const Row& row) { count = row.integer(0); });
  return static_cast<int>(count);
}

void write_attempt(const Settling& settling, const JobRow& job, const Change& change,
                   Time started_at) {
  if (change.outcome.empty()) return;
  settling.access.run(Sql::insert_attempt,
                      {job.id, job.fence, job.revision, std::int64_t{job.attempt}, change.outcome,
                       failure_param(change.failure), std::string_view(change.reason),
                       settling.worker, store::micros(started_at), store::micros(settling.now)});
}

/// A guarded write of a row that this transaction has locked cannot miss it.
void require_one(std::int64_t rows) {
  if (rows == 1) return;
  throw Error(Code::internal, "a running job changed under its lock");
}

void write_wait(const Settling& settling, const JobRow& job, const Change& change) {
  if (change.mark_cancel) {
    require_one(settling.access.run(
        Sql::mark_cancel, {store::micros(settling.now), job.id, job.fence, *job.claim_id}));
  }
  require_one(settling.access.run(
      Sql::settle_wait, {store::micros(change.run_at), std::int64_t{change.attempt}, job.id,
                         job.fence, *job.claim_id}));
}

void write_rearm(const Settling& settling, const JobRow& job, const Change& change,
                 Time started_at) {
  if (change.archive) {
    require_one(settling.access.run(Sql::archive_revision,
                                    {store::micros(started_at), store::micros(settling.now),
                                     settling.worker, job.id, job.fence, *job.claim_id}));
  }
  require_one(settling.access.run(
      Sql::settle_rearm, {store::micros(change.run_at), job.id, job.fence, *job.claim_id}));
}

void write_final(const Settling& settling, const JobRow& job, const Change& change,
                 Time started_at) {
  const FinalState state{change.to == Change::To::succeeded ? "succeeded" : "cancelled",
                         change.reason};
  const FinalEnd end{lease_of(job), started_at};
  require_one(static_cast<std::int64_t>(make_final(settling, state, {&end, 1}).size()));
}

void write_quarantine(const Settling& settling, const JobRow& job, const Change& change) {
  const FailureClass failure = change.failure.value_or(FailureClass::application);
  require_one(settling.access.run(
      Sql::settle_quarantine,
      {std::int64_t{change.attempt}, store::micros(settling.now), to_string(failure),
       std::string_view(change.reason), settling.worker, job.id, job.fence, *job.claim_id}));
}

void write(const Settling& settling, const JobRow& job, const Change& change, Time started_at) {
  switch (change.to) {
    case Change::To::start: return;
    case Change::To::wait: return write_wait(settling, job, change);
    case Change::To::rearm: return write_rearm(settling, job, change, started_at);
    case Change::To::succeeded:
    case Change::To::cancelled: return write_final(settling, job, change, started_at);
    case Change::To::quarantined: return write_quarantine(settling, job, change);
  }
}

/// The quarantine says why, also when the budget was used up by an earlier attempt.
Change explained(const Settling& settling, const JobRow& job, Change change) {
  if (change.to != Change::To::quarantined) return change;
  if (change.outcome.empty()) {
    settling.access.run(Sql::last_attempt, {job.id}, [&](const Row& row) {
      if (!row.is_null(0)) change.reason += ": " + std::string(row.text(0));
      change.failure = failure_class(row.text(1));
    });
  }
  if (change.failure == FailureClass::lost) change.reason = "worker died: " + change.reason;
  return change;
}

const Hook* hook_for(const Settling& settling, const JobRow& job, Change::To to) {
  switch (to) {
    case Change::To::succeeded: return settling.hooks.on_success(job.kind);
    case Change::To::cancelled: return settling.hooks.on_cancel(job.kind);
    case Change::To::quarantined: return settling.hooks.on_quarantine(job.kind);
    default: return nullptr;
  }
}

/// Runs a hook in a savepoint. What it threw, in words, or nothing. When the connection itself is
/// gone the roll-back throws, and the whole transaction ends with that Error.
std::optional<std::string> run_hook(const Settling& settling, const Hook& hook, const JobRow& job) {
  Session& session = settling.access.session;
  session.execute("savepoint holdfast_hook");
  if (session.dialect() == Dialect::postgres) settling.access.run(Sql::plan_as_usual);
  std::string thrown;
  try {
    hook(session, job);
    session.execute("release savepoint holdfast_hook");
    return std::nullopt;
  } catch (const std::exception& error) {
    thrown = error.what();
  } catch (...) {
    thrown = "something that is no std::exception";
  }
  session.execute("rollback to savepoint holdfast_hook");
  session.execute("release savepoint holdfast_hook");
  return thrown;
}

/// A hook threw: the job is not final. A failed success hook fails the attempt; the others are
/// tried again at the next pick.
Change after_hook_failure(const Settling& settling, const JobRow& job, const Change& change,
                          const std::string& thrown) {
  const RetryPolicy policy = settling.policies.retry(job);
  Happened happened;
  happened.event = change.to == Change::To::succeeded ? Event::failed : Event::hook_failed;
  happened.failure = change.failure.value_or(FailureClass::application);
  happened.reason = "hook threw: " + thrown;
  if (!change.reason.empty()) happened.reason += "; pending: " + change.reason;
  Facts facts = facts_of(settling, job, happened, policy);
  facts.cancel_requested = change.to == Change::To::cancelled;
  Change next = decide(facts, happened, settling.now, policy, random_spread());
  // A cancel that the handler decided would be forgotten; the mark makes the next pick end it.
  next.mark_cancel = facts.cancel_requested && !job.cancel_requested;
  return next;
}

/// Whether a hook gave the very job that it was run for a newer intent. A hook that took the lease
/// away did more than that.
bool rearmed_by_hook(const Settling& settling, const JobRow& job) {
  bool rearmed = false;
  const auto rows =
      settling.access.run(Sql::lock_lease, {job.id, job.fence, *job.claim_id},
                          [&](const Row& row) { rearmed = store::read_job(row).rearmed; });
  if (rows != 1) throw Error(Code::internal, "a hook ended the lease of the job it was run for");
  return rearmed;
}

/// The hooks of an end, and what comes of the end then.
Change with_hooks(const Settling& settling, const JobRow& job, Change change) {
  const Hook* hook = hook_for(settling, job, change.to);
  if (hook == nullptr) return change;
  JobRow seen = job;
  seen.last_error = change.reason;
  seen.last_failure = change.failure;
  if (const auto thrown = run_hook(settling, *hook, seen)) {
    return after_hook_failure(settling, job, change, *thrown);
  }
  if (rearmed_by_hook(settling, job)) return rearmed_after(std::move(change), settling.now);
  return change;
}

}  // namespace

double random_spread() { return base::random_unit(); }

Facts facts_of(const Settling& settling, const JobRow& job, const Happened& happened,
               const RetryPolicy& policy) {
  Facts facts;
  facts.attempt = job.attempt;
  facts.max_attempts = policy.max_attempts;
  facts.run_at = job.run_at;
  facts.rearmed = job.rearmed;
  facts.cancel_requested = job.cancel_requested;
  facts.may_finish = settling.hooks.has(job.kind) || !settling.policies.has_hooks(job.kind);
  if (happened.event == Event::lost) facts.lost_before = lost_in_a_row(settling.access, job);
  if (happened.event == Event::undecodable) {
    facts.undecodable_before = count_outcome(settling, job, "undecodable");
  }
  if (happened.event == Event::hook_failed) {
    facts.hook_failures_before = count_outcome(settling, job, "hook_failed");
  }
  return facts;
}

int lost_in_a_row(store::Access access, const JobRow& job) {
  int lost = 0;
  bool row_ends = false;
  access.run(Sql::recent_outcomes, {job.id, job.revision}, [&](const Row& row) {
    row_ends = row_ends || row.text(0) != "lost";
    if (!row_ends) ++lost;
  });
  return std::clamp(lost, 0, std::max(0, job.attempt - 1));  // those before a replay are forgiven
}

void apply(const Settling& settling, const JobRow& job, const Change& decided, Time started_at) {
  // Error texts come from handlers and may be anything; a text that the database refuses would keep
  // the end of the attempt from being written at all.
  Change change = decided;
  change.reason = base::as_utf8(decided.reason, message_bytes_max);
  change = with_hooks(settling, job, explained(settling, job, std::move(change)));
  write(settling, job, change, started_at);
  write_attempt(settling, job, change, started_at);
}

}  // namespace holdfast::queue
