#include "queue/finals.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "store/rows.hpp"

namespace holdfast::queue {

using store::Sql;

namespace {

using Jobs = std::unordered_set<JobId>;
using Starts = std::vector<std::pair<JobId, std::int64_t>>;

Value reason_param(const FinalState& state) {
  return state.reason.empty() ? Value{null} : Value{state.reason};
}

/// One column of all ends, as a parameter.
template <class Part>
std::string column(std::span<const FinalEnd> ends, Part part) {
  std::vector<std::int64_t> numbers;
  numbers.reserve(ends.size());
  for (const FinalEnd& end : ends) numbers.push_back(part(end));
  return store::list_of(Dialect::postgres, numbers);
}

Jobs make_final_postgres(const Settling& settling, const FinalState& state,
                         std::span<const FinalEnd> ends) {
  const auto ids = column(ends, [](const FinalEnd& end) { return end.lease.id; });
  const auto fences = column(ends, [](const FinalEnd& end) { return end.lease.fence; });
  const auto claims = column(ends, [](const FinalEnd& end) { return end.lease.claim_id; });
  const auto starts =
      column(ends, [](const FinalEnd& end) { return store::micros(end.started_at); });
  Jobs ended;
  ended.reserve(ends.size());
  settling.access.run(Sql::settle_final,
                      {ids, fences, claims, starts, state.state, store::micros(settling.now),
                       settling.worker, reason_param(state)},
                      [&](const Row& row) { ended.insert(row.integer(0)); });
  return ended;
}

/// The jobs of one claim that have the same fence: most of a round, so that one statement ends
/// them all.
void end_group(const Settling& settling, const FinalState& state, const Lease& of,
               const Starts& starts, Jobs& ended) {
  const std::string object = store::object_of(starts);
  const auto rows = settling.access.run(Sql::settle_final_group,
                                        {state.state, store::micros(settling.now), settling.worker,
                                         reason_param(state), object, of.fence, of.claim_id});
  if (rows == static_cast<std::int64_t>(starts.size())) {
    for (const auto& [id, started_at] : starts) ended.insert(id);
  } else if (rows > 0) {
    settling.access.run(Sql::settled_of_group,
                        {object, of.fence, store::micros(settling.now), settling.worker},
                        [&](const Row& row) { ended.insert(row.integer(0)); });
  }
}

Jobs make_final_sqlite(const Settling& settling, const FinalState& state,
                       std::span<const FinalEnd> ends) {
  std::map<std::pair<std::int64_t, std::int64_t>, Starts> groups;
  for (const auto& [lease, started_at] : ends) {
    groups[{lease.claim_id, lease.fence}].emplace_back(lease.id, store::micros(started_at));
  }
  Jobs ended;
  ended.reserve(ends.size());
  for (const auto& [key, starts] : groups) {
    end_group(settling, state, {.fence = key.second, .claim_id = key.first}, starts, ended);
  }
  return ended;
}

}  // namespace

std::unordered_set<JobId> make_final(const Settling& settling, const FinalState& state,
                                     std::span<const FinalEnd> ends) {
  if (ends.empty()) return {};
  return settling.access.sql.dialect() == Dialect::sqlite
             ? make_final_sqlite(settling, state, ends)
             : make_final_postgres(settling, state, ends);
}

}  // namespace holdfast::queue
