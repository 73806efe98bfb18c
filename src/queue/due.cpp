#include "queue/due.hpp"

#include "store/rows.hpp"

namespace holdfast::queue {

namespace {

/// As in the statement.
constexpr std::int64_t groups_max = 100;

}  // namespace

std::optional<Time> next_due(store::Access access, std::span<const std::string> queues,
                             std::span<const std::string> kinds, Time now) {
  if (queues.empty()) return std::nullopt;
  const Dialect dialect = access.sql.dialect();
  std::optional<Time> due;
  access.run(store::Sql::next_due,
             {store::list_of(dialect, queues), store::micros(now), store::list_of(dialect, kinds)},
             [&](const Row& row) {
               if (const auto run_at = store::optional_integer(row, 0))
                 due = store::time_at(*run_at);
               if (row.integer(1) >= groups_max) due = now;
             });
  return due;
}

void wake_sleepers(store::Access access) {
  if (access.sql.dialect() != Dialect::postgres) return;
  access.run(store::Sql::wake_sleepers, {}, [](const Row&) {});
}

}  // namespace holdfast::queue
