#include "db/sqlite_database.hpp"
#include "db/sqlite_session.hpp"
#include "holdfast/clock.hpp"
#include "holdfast/error.hpp"
#include "holdfast/sqlite.hpp"
#include "queue/enqueue.hpp"
#include "queue/store_state.hpp"

namespace holdfast::sqlite {

Store open(const std::string& path, StoreOptions options) {
  const Clock& clock = options.clock == nullptr ? system_clock() : *options.clock;
  auto sql = store::StatementSet::load(Dialect::sqlite, options.schema);
  auto database = db::open_sqlite(path, options.durability, clock);
  return Store(std::make_shared<detail::StoreState>(std::move(database), std::move(sql), clock));
}

/// The statements outlive the session: members are destroyed in reverse order.
struct Outlet::State {
  State(::sqlite3* db, const OutletOptions& options)
      : sql(store::StatementSet::load(Dialect::sqlite, options.schema)), session(db) {}

  [[nodiscard]] store::Access access() { return {session, *sql}; }

  std::shared_ptr<const store::StatementSet> sql;
  db::SqliteSession session;
};

Outlet::Outlet(::sqlite3* db, OutletOptions options) {
  if (db == nullptr) throw Error(Code::misuse, "an outlet needs a database, not null");
  db::check_durability(db, options.durability);
  state_ = std::make_unique<State>(db, options);
}

Outlet::~Outlet() = default;
Outlet::Outlet(Outlet&&) noexcept = default;
Outlet& Outlet::operator=(Outlet&&) noexcept = default;

Enqueued Outlet::enqueue(const NewJob& job) {
  return queue::enqueue(state_->access(), job, system_clock().now());
}

std::vector<Enqueued> Outlet::enqueue(std::span<const NewJob> jobs) {
  return queue::enqueue(state_->access(), jobs, system_clock().now());
}

}  // namespace holdfast::sqlite
