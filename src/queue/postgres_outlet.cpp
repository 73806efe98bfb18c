#include <libpq-fe.h>

#include <algorithm>
#include <optional>

#include "db/postgres_database.hpp"
#include "db/postgres_savepoint.hpp"
#include "db/postgres_session.hpp"
#include "holdfast/clock.hpp"
#include "holdfast/error.hpp"
#include "holdfast/postgres.hpp"
#include "queue/enqueue.hpp"
#include "queue/store_state.hpp"
#include "store/rows.hpp"

namespace holdfast::postgres {

Store open(const std::string& conninfo, StoreOptions options) {
  const Clock& clock = options.clock == nullptr ? system_clock() : *options.clock;
  auto sql = store::StatementSet::load(Dialect::postgres, options.schema);
  auto database = db::open_postgres(conninfo, options.durability, clock, options.listen);
  auto state = std::make_shared<detail::StoreState>(std::move(database), std::move(sql), clock);
  state->with_connection([](db::Connection&) {});  // an address that leads nowhere is told now
  return Store(std::move(state));
}

/// The statements outlive the session: members are destroyed in reverse order.
struct Outlet::State {
  State(PGconn* db, const OutletOptions& options)
      : sql(store::StatementSet::load(Dialect::postgres, options.schema)),
        session(db),
        savepoint(options.savepoint) {}

  /// The server's time, which costs a round trip: only for jobs that need it.
  [[nodiscard]] Time now(std::span<const NewJob> jobs) {
    const bool needed = std::any_of(jobs.begin(), jobs.end(), [](const NewJob& job) {
      return job.options.delay || job.options.on_conflict == OnConflict::replace;
    });
    Time now{};
    if (!needed) return now;
    const store::Access access{session, *sql};
    access.run(store::Sql::server_now, {},
               [&](const Row& row) { now = store::time_at(row.integer(0)); });
    return now;
  }

  [[nodiscard]] std::vector<Enqueued> enqueue(std::span<const NewJob> jobs) {
    std::optional<db::Savepoint> guard;
    if (savepoint) guard.emplace(session.postgres());
    auto answers = queue::enqueue({session, *sql}, jobs, now(jobs));
    if (guard) guard->release();
    return answers;
  }

  std::shared_ptr<const store::StatementSet> sql;
  db::PostgresSession session;
  bool savepoint;
};

Outlet::Outlet(::pg_conn* connection, OutletOptions options) {
  if (connection == nullptr) throw Error(Code::misuse, "an outlet needs a connection, not null");
  db::check_durability(connection, options.durability);
  state_ = std::make_unique<State>(connection, options);
}

Outlet::~Outlet() = default;
Outlet::Outlet(Outlet&&) noexcept = default;
Outlet& Outlet::operator=(Outlet&&) noexcept = default;

Enqueued Outlet::enqueue(const NewJob& job) {
  return state_->enqueue(std::span<const NewJob>(&job, 1)).front();
}

std::vector<Enqueued> Outlet::enqueue(std::span<const NewJob> jobs) {
  return state_->enqueue(jobs);
}

}  // namespace holdfast::postgres
