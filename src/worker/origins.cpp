#include "worker/origins.hpp"

#include <algorithm>

#include "queue/find.hpp"

namespace holdfast::worker {

namespace {

std::string origin_of(store::Access access, JobId id) {
  std::string origin;
  access.run(store::Sql::find_origin, {id}, [&](const Row& row) { origin = row.text(0); });
  return origin;
}

}  // namespace

void Origins::cover(store::Access access, JobId lowest, JobId highest,
                    std::optional<JobId> newest_from) {
  const bool known = !origin_.empty();
  if (known && newest_from && newest_from == newest_from_ && lowest >= *newest_from) {
    lowest_ = std::min(lowest_, lowest);
    highest_ = std::max(highest_, highest);
    return;
  }
  learn(access, lowest, highest);
  const bool newest = newest_from && !origin_.empty() && lowest_ >= *newest_from;
  newest_from_ = newest ? newest_from : std::nullopt;
}

void Origins::learn(store::Access access, JobId lowest, JobId highest) {
  const bool known = !origin_.empty();
  if (known && lowest >= lowest_ && highest <= highest_) return;
  const std::string last =
      known && highest <= highest_ && highest >= lowest_ ? origin_ : origin_of(access, highest);
  if (known && last == origin_ && lowest >= lowest_) {
    highest_ = std::max(highest_, highest);
    return;
  }
  const std::string first = origin_of(access, lowest);
  origin_ = first == last ? first : std::string{};
  lowest_ = lowest;
  highest_ = highest;
}

std::string Origins::key(store::Access access, JobId id, std::int64_t revision) const {
  if (origin_.empty() || id < lowest_ || id > highest_) {
    return queue::idempotency_key(access, id, revision);
  }
  return origin_ + ":" + std::to_string(id) + ":" + std::to_string(revision);
}

}  // namespace holdfast::worker
