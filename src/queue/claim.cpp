#include "queue/claim.hpp"

#include <algorithm>
#include <array>
#include <tuple>

#include "holdfast/error.hpp"
#include "store/rows.hpp"

namespace holdfast::queue {

using store::Access;
using store::Sql;

namespace {

/// Groups that one claim looks at: a claim that finds a thousand idle groups must still be short.
constexpr int hops_max = 100;

/// How long a busy queue in which no group had work is taken for one without groups.
constexpr std::chrono::milliseconds probe_interval{100};

std::size_t jobs_in(const std::vector<Claim>& claims) {
  std::size_t jobs = 0;
  for (const Claim& claim : claims) jobs += claim.jobs.size();
  return jobs;
}

bool before(const JobRow& a, const JobRow& b) {
  return std::tie(a.priority, a.run_at, a.id) < std::tie(b.priority, b.run_at, b.id);
}

std::vector<std::int64_t> ids_of(const std::vector<JobRow>& jobs) {
  std::vector<std::int64_t> ids;
  ids.reserve(jobs.size());
  for (const JobRow& job : jobs) ids.push_back(job.id);
  return ids;
}

}  // namespace

Claimer::Claimer(std::string queue, Claimant claimant, Dialect dialect)
    : queue_(std::move(queue)),
      claimant_(std::move(claimant)),
      kinds_(store::list_of(dialect, claimant_.kinds)) {}

std::vector<Claim> Claimer::claim(Access access, Time now, Duration lease, int limit) {
  std::vector<Claim> claims;
  if (limit < 1) return claims;
  // Ungrouped jobs and the groups share the room when both have work; what one leaves the other
  // takes. A queue without groups pays a probe of the index, now and then while it is busy.
  const auto left = [&] { return limit - static_cast<int>(jobs_in(claims)); };
  const bool probed_lately = now < groups_probed_at_ + probe_interval && now >= groups_probed_at_;
  const bool plain_first = !grouped_ && probed_lately;
  if (plain_first) claim_plain(access, now, lease, limit, claims);
  // A look that found some is followed by another one soon.
  if (left() == 0 || !claims.empty()) return claims;
  grouped_ = next_group(access, "").has_value();
  groups_probed_at_ = now;
  if (!grouped_) {
    if (!plain_first) claim_plain(access, now, lease, limit, claims);
    return claims;
  }
  // Room for one is for each of them by turns.
  groups_first_ = limit == 1 && !groups_first_;
  if (!groups_first_) claim_plain(access, now, lease, std::max(1, limit / 2), claims);
  if (left() > 0) claim_grouped(access, now, lease, left(), claims);
  if (left() > 0 && (limit > 1 || groups_first_)) claim_plain(access, now, lease, left(), claims);
  return claims;
}

void Claimer::claim_plain(Access access, Time now, Duration lease, int limit,
                          std::vector<Claim>& claims) {
  const auto began = std::chrono::steady_clock::now();
  const Cursor::Start start = cursor_.start(now, began);
  Claim claim = take(access, now, lease, {"", start.levels, limit});
  const auto ended = std::chrono::steady_clock::now();
  const bool everything = static_cast<int>(claim.jobs.size()) < limit;
  cursor_.scanned(start, {ended - began, everything, now, claim.jobs.size()}, ended);
  for (const JobRow& job : claim.jobs) cursor_.claimed(job.priority, job.run_at);
  if (!claim.jobs.empty()) claims.push_back(std::move(claim));
}

void Claimer::claim_grouped(Access access, Time now, Duration lease, int limit,
                            std::vector<Claim>& claims) {
  Rotation rotation{limit, std::max(1, limit / 8), hops_max};
  // Small shares first, so that every group gets its turn; larger ones as long as there is room, so
  // that a single busy group can use all of it.
  while (rotation.room > 0 && rotation.hops > 0) {
    const int room_before = rotation.room;
    rotate(access, now, lease, rotation, claims);
    if (rotation.room == room_before) return;
    rotation.share *= 4;
  }
}

/// Once round the groups that have work, from where the last rotation stopped.
void Claimer::rotate(Access access, Time now, Duration lease, Rotation& rotation,
                     std::vector<Claim>& claims) {
  const std::string stopped_at = last_group_;
  bool wrapped = stopped_at.empty();
  while (rotation.room > 0 && rotation.hops-- > 0) {
    const auto group = next_group(access, last_group_);
    const bool round = wrapped && !stopped_at.empty() && group && *group > stopped_at;
    if (!group || round) {
      if (wrapped) {
        if (!group) last_group_.clear();
        return;
      }
      wrapped = true;
      last_group_.clear();
      continue;
    }
    last_group_ = *group;
    const int limit = std::min(rotation.share, rotation.room);
    Claim claim = take(access, now, lease, {last_group_, {}, limit});
    if (claim.jobs.empty()) continue;
    rotation.room -= static_cast<int>(claim.jobs.size());
    claims.push_back(std::move(claim));
  }
}

std::optional<std::string> Claimer::next_group(Access access, std::string_view after) const {
  std::optional<std::string> group;
  access.run(Sql::next_group, {queue_, after},
             [&](const Row& row) { group = store::optional_text(row, 0); });
  return group;
}

Claim Claimer::take(Access access, Time now, Duration lease, const Scan& scan) {
  return access.sql.dialect() == Dialect::sqlite ? take_sqlite(access, now, lease, scan)
                                                 : take_postgres(access, now, lease, scan);
}

Claim Claimer::take_sqlite(Access access, Time now, Duration lease, const Scan& scan) {
  Claim claim;
  for (int level = 0; level < priorities; ++level) {
    const auto room =
        static_cast<std::int64_t>(scan.limit) - static_cast<std::int64_t>(claim.jobs.size());
    if (room <= 0) break;
    const Time start = scan.start.at(static_cast<std::size_t>(level));
    access.run(Sql::pick_level,
               {queue_, scan.group, std::int64_t{level}, store::micros(start), store::micros(now),
                kinds_, room},
               [&](const Row& row) { claim.jobs.push_back(store::read_job(row)); });
  }
  if (claim.jobs.empty()) return claim;

  claim.lease_until = now + lease;
  const std::string ids = store::list_of(Dialect::sqlite, ids_of(claim.jobs));
  access.run(Sql::insert_claim,
             {claimant_.worker, store::micros(now), store::micros(claim.lease_until), ids},
             [&](const Row& row) { claim.id = row.integer(0); });
  const auto taken = access.run(Sql::take_jobs, {claim.id, std::string_view(ids)});
  if (taken != static_cast<std::int64_t>(claim.jobs.size())) {
    throw Error(Code::internal, "a job changed under the write lock while it was claimed");
  }
  for (JobRow& job : claim.jobs) {
    job.attempt = std::min(job.attempt, 2147483646) + 1;
    job.fence = std::min<std::int64_t>(job.fence, 9007199254740990) + 1;
    job.claim_id = claim.id;
  }
  return claim;
}

Claim Claimer::take_postgres(Access access, Time now, Duration lease, const Scan& scan) {
  Claim claim;
  claim.lease_until = now + lease;
  std::array<std::int64_t, priorities> starts{};
  std::transform(scan.start.begin(), scan.start.end(), starts.begin(), store::micros);
  const std::string levels = store::list_of(Dialect::postgres, starts);
  access.run(Sql::claim,
             {levels, queue_, scan.group, store::micros(now), kinds_, std::int64_t{scan.limit},
              claimant_.worker, store::micros(claim.lease_until)},
             [&](const Row& row) {
               claim.jobs.push_back(store::read_job(row));
               claim.origin_from = store::optional_integer(row, store::job_columns);
             });
  if (claim.jobs.empty()) return claim;
  claim.id = *claim.jobs.front().claim_id;
  std::sort(claim.jobs.begin(), claim.jobs.end(), before);  // an UPDATE answers in any order
  return claim;
}

}  // namespace holdfast::queue
