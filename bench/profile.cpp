// Where the time of a round goes on PostgreSQL: the plans of a claim and of its settle as they ran,
// with buffers and log bytes, for 500 of 20,000 jobs. For SQLite, run the drain below callgrind:
//   valgrind --tool=callgrind build/release/holdfast bench --only life --jobs 10000 --runs 1

#include <cstdio>
#include <string>

#include "bench/questions.hpp"
#include "bench/served.hpp"
#include "holdfast/postgres.hpp"
#include "queue/store_state.hpp"
#include "support/postgres_server.hpp"

namespace holdfast::bench {
namespace {

using store::Sql;

constexpr std::string_view analyzed = "explain (analyze, buffers, wal, timing off) execute ";

void print_rows(Session& session, const std::string& query) {
  session.execute(query, {},
                  [](const Row& row) { std::printf("%s\n", std::string(row.text(0)).c_str()); });
}

std::string text(Session& session, const std::string& query) {
  std::string value;
  session.execute(query, {}, [&](const Row& row) { value = row.text(0); });
  return value;
}

/// Statements are prepared when they first run: with parameters that find nothing.
void prepare(const store::Access& access) {
  const RowSink drop = [](const Row&) {};
  const std::int64_t none = 0;
  access.run(Sql::claim,
             {"{0,0,0,0,0,0,0,0,0,0}", "none", "", none, "{none}", std::int64_t{1}, "w", none},
             drop);
  access.run(Sql::settle_final, {"{}", "{}", "{}", "{}", "succeeded", none, "w", null}, drop);
}

void profile(const std::string& conninfo) {
  const Store store = postgres::open(conninfo);
  store.migrate();
  enqueue_by_thousands(store, 20'000, {});
  auto& state = *store.state();
  const auto connection = state.database().connect(db::Lane::claims);
  prepare({*connection, state.sql()});
  connection->execute("analyze holdfast.jobs", {}, {});

  const std::string now = std::to_string(connection->now().time_since_epoch().count());
  std::printf("-- claim of 500 jobs\n");
  connection->begin();
  print_rows(*connection, std::string(analyzed) +
                              "claim ('{0,0,0,0,0,0,0,0,0,0}', 'default', '', " + now +
                              ", '{bench}', 500, 'w', " + now + ")");
  if (connection->commit() != db::Committed::yes) return;

  const auto column = [&](const std::string& name) {
    return "'" +
           text(*connection, "select array_agg(" + name +
                                 " order by id)::text from holdfast.jobs"
                                 " where claim_id is not null") +
           "'";
  };
  const std::string leases =
      column("id") + ", " + column("fence") + ", " + column("claim_id") + ", " + column("run_at");
  std::printf("\n-- settle of the same\n");
  connection->begin();
  print_rows(*connection, std::string(analyzed) + "settle_final (" + leases + ", 'succeeded', " +
                              now + ", 'w', null)");
  if (connection->commit() != db::Committed::yes) std::printf("was not committed\n");
}

int run() {
  test::PostgresServerOptions options;
  options.medium = test::Medium::disk;
  test::PostgresServer server(options);
  server.start();
  server.execute("create database profile");
  profile(server.conninfo("profile"));
  return 0;
}

}  // namespace
}  // namespace holdfast::bench

int main() { return holdfast::bench::run(); }
