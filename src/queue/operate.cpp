#include "queue/operate.hpp"

#include "base/random.hpp"
#include "holdfast/error.hpp"
#include "queue/check.hpp"
#include "queue/due.hpp"
#include "queue/find.hpp"
#include "store/rows.hpp"

namespace holdfast::queue {

using store::Sql;

namespace {

/// A job can move between two statements only so often before something is wrong.
constexpr int moves_max = 20;

void write_receipt(const Action& action, std::string_view what, std::optional<JobId> id,
                   std::string_view before, std::string_view after) {
  action.access.run(Sql::insert_receipt,
                    {store::micros(action.now), action.who.actor, action.who.reason, what,
                     store::param(id), before, after});
}

/// What a cancel drops with the job: the newer intent that waits behind a running attempt. Kept in
/// the receipt.
std::string newer_payload(const Action& action, const JobRow& job) {
  std::string text;
  if (!job.rearmed) return text;
  action.access.run(Sql::find_live, {job.id}, [&](const Row& row) {
    if (!row.is_null(18)) text = ", re-armed with the payload " + std::string(row.text(18));
  });
  return text;
}

/// Cancels a live job as it was read; nothing when it moved meanwhile.
std::optional<Cancelled> cancel_live(const Action& action, const Policies& policies,
                                     const JobRow& job) {
  const Value now = store::micros(action.now);
  if (job.claim_id) {
    const auto rows = action.access.run(Sql::mark_cancel, {now, job.id, job.fence, *job.claim_id});
    return rows == 1 ? std::optional(Cancelled::requested) : std::nullopt;
  }
  if (policies.has_hooks(job.kind)) {
    const auto rows = action.access.run(Sql::mark_cancel_waiting, {now, job.id, job.fence});
    wake_sleepers(action.access);
    return rows == 1 ? std::optional(Cancelled::requested) : std::nullopt;
  }
  const auto rows =
      action.access.run(Sql::cancel_waiting, {now, action.who.reason, job.id, job.fence});
  return rows == 1 ? std::optional(Cancelled::cancelled) : std::nullopt;
}

/// Nothing when the holder has finished meanwhile: the key is free then.
std::optional<Replayed> key_taken(const Action& action, const JobRow& job) {
  const auto holder = find_key_holder(action.access, job);
  if (!holder) return std::nullopt;
  return Replayed{Replayed::What::key_taken, *holder};
}

/// Nothing when the job moved meanwhile.
std::optional<Replayed> replay_quarantined(const Action& action, const JobRow& job) {
  std::int64_t fence = -1;
  action.access.run(Sql::lock_quarantined, {job.id},
                    [&](const Row& row) { fence = row.integer(0); });
  if (fence < 0) return std::nullopt;
  const auto rows = action.access.run(
      Sql::replay_quarantined, {store::micros(action.now), job.id, fence}, [](const Row&) {});
  if (rows != 1) return key_taken(action, job);
  if (action.access.run(Sql::delete_quarantined, {job.id, fence}) != 1) {
    throw Error(Code::internal, "a quarantined job changed while it was locked");
  }
  write_receipt(action, "replay", job.id, "quarantined", "ready");
  return Replayed{Replayed::What::replayed, job.id};
}

std::optional<Replayed> replay_finished(const Action& action, const JobRow& job) {
  std::optional<JobId> id;
  const Value max_attempts =
      job.max_attempts ? Value{std::int64_t{*job.max_attempts}} : Value{null};
  const Value timeout =
      job.timeout ? Value{std::int64_t{job.timeout->count() / 1000}} : Value{null};
  action.access.run(
      Sql::insert_job,
      {job.queue, job.kind, job.payload, std::int64_t{job.priority}, store::micros(action.now),
       max_attempts, timeout, job.group, store::param(job.unique_key), store::param(job.headers),
       store::param(job.message_id), store::param(job.trace), store::micros(action.now), job.id},
      [&](const Row& row) { id = row.integer(0); });
  if (!id) return key_taken(action, job);
  write_receipt(action, "replay", job.id, to_string(job.state),
                "ready as job " + std::to_string(*id));
  return Replayed{Replayed::What::new_job, *id};
}

std::optional<Replayed> replay_as_found(const Action& action, const JobRow& job) {
  switch (job.state) {
    case JobState::quarantined: return replay_quarantined(action, job);
    case JobState::succeeded:
    case JobState::cancelled:
    case JobState::discarded: return replay_finished(action, job);
    default: return Replayed{Replayed::What::live, job.id};
  }
}

}  // namespace

Cancelled cancel(const Action& action, const Policies& policies, JobId id) {
  check_operator(action.who.actor, action.who.reason);
  for (int round = 0; round < moves_max; ++round) {
    const auto job = find(action.access, id, action.now);
    if (!job) return Cancelled::not_found;
    if (job->state == JobState::quarantined) return Cancelled::quarantined;
    if (job->finished_at) return Cancelled::already_final;
    const std::string dropped = newer_payload(action, *job);
    if (const auto answer = cancel_live(action, policies, *job)) {
      write_receipt(action, "cancel", id, std::string(to_string(job->state)) + dropped,
                    to_string(*answer));
      return *answer;
    }
  }
  throw Error(Code::busy, "the job changed hands again and again: cancel it once more");
}

Replayed replay(const Action& action, JobId id) {
  check_operator(action.who.actor, action.who.reason);
  for (int round = 0; round < moves_max; ++round) {
    const auto job = find(action.access, id, action.now);
    if (!job) return {Replayed::What::not_found, id};
    if (const auto answer = replay_as_found(action, *job)) return *answer;
  }
  throw Error(Code::busy, "the job changed hands again and again: replay it once more");
}

bool discard(const Action& action, JobId id) {
  check_operator(action.who.actor, action.who.reason);
  std::int64_t fence = -1;
  action.access.run(Sql::lock_quarantined, {id}, [&](const Row& row) { fence = row.integer(0); });
  if (fence < 0) return false;
  const auto moved = action.access.run(Sql::discard_quarantined,
                                       {store::micros(action.now), action.who.reason, id, fence});
  const auto gone = action.access.run(Sql::delete_quarantined, {id, fence});
  if (moved != 1 || gone != 1) {
    throw Error(Code::internal, "a quarantined job changed while it was locked");
  }
  write_receipt(action, "discard", id, "quarantined", "discarded");
  return true;
}

std::string restored(const Action& action) {
  check_operator(action.who.actor, action.who.reason);
  const std::string table =
      store::with_namespace("{ns}jobs", action.access.sql.dialect(), action.access.sql.schema());
  std::int64_t first_id = 0;
  action.access.run(Sql::burn_job_ids, {table}, [&](const Row& row) { first_id = row.integer(0); });
  const std::string origin = base::random_id();
  action.access.run(Sql::insert_origin, {first_id, origin, store::micros(action.now)});
  write_receipt(action, "restored", std::nullopt, "",
                "origin " + origin + " from job " + std::to_string(first_id) + " on");
  return origin;
}

}  // namespace holdfast::queue
