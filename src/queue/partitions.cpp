#include "queue/partitions.hpp"

#include <string_view>

#include "store/rows.hpp"

namespace holdfast::queue {

namespace {

constexpr std::int64_t days_ahead = 9;  // yesterday, today and a week

}  // namespace

void ensure_history(db::Connection& connection, const store::StatementSet& sql, Time now) {
  if (sql.dialect() != Dialect::postgres) return;
  const store::Access access{connection, sql};
  db::Transaction transaction(connection);
  access.run(store::Sql::limit_lock_wait);
  const Time yesterday = now - std::chrono::hours(24);
  access.run(store::Sql::ensure_history, {store::micros(yesterday), days_ahead}, [](const Row&) {});
  transaction.commit_or_throw();
}

bool is_missing_partition(const Error& error) {
  return error.code() == Code::constraint &&
         std::string_view(error.what()).starts_with(db::no_history_partition);
}

}  // namespace holdfast::queue
