// The first question of a reader: how fast is it beside the same SQL by hand? Enqueues, and claims
// and settles in batches, on both databases, each next to its raw floor in the same run.
//
//   holdfast_bench_figures [JOBS]

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "floors/floor.hpp"
#include "holdfast/postgres.hpp"
#include "holdfast/sqlite.hpp"
#include "queue/claim.hpp"
#include "queue/settle.hpp"
#include "queue/store_state.hpp"
#include "support/postgres_server.hpp"
#include "support/temporary_directory.hpp"

namespace holdfast::bench {
namespace {

using Steady = std::chrono::steady_clock;

const std::string payload = R"({"order": 1234567, "to": "user@example.com"})";

double per_second(int jobs, Steady::time_point since) {
  return jobs / std::chrono::duration<double>(Steady::now() - since).count();
}

/// Claims and settles all that is ready, in rounds of one transaction as a worker does.
int work_all(Store& store, int batch) {
  auto& state = *store.state();
  const auto connection = state.database().connect(db::Lane::normal);
  const store::Access access{*connection, state.sql()};
  const auto policies = queue::Policies::read(access);
  const queue::Hooks hooks;
  queue::Claimer claimer("default", {"bench", {"bench"}}, connection->dialect());
  std::vector<queue::Ending> endings;
  int settled = 0;
  do {
    db::Transaction transaction(*connection);
    const Time now = connection->now();
    for (const auto answer : queue::settle({access, policies, hooks, "bench", now}, endings)) {
      if (answer == queue::Settlement::settled) ++settled;
    }
    endings.clear();
    for (const auto& claim : claimer.claim(access, now, std::chrono::seconds(30), batch)) {
      for (const auto& job : claim.jobs) {
        endings.push_back({queue::lease_of(job), job.kind, {}, now});
      }
    }
    transaction.commit_or_throw();
  } while (!endings.empty());
  return settled;
}

Figures measure(Store store, const Work& work, const std::function<void()>& settle_down) {
  Figures figures;
  store.migrate();
  auto begin = Steady::now();
  for (int i = 0; i < work.one; ++i) (void)store.enqueue(NewJob{"bench", payload, {}});
  figures.enqueue_one = per_second(work.one, begin);

  const std::vector<NewJob> thousand(1000, NewJob{"bench", payload, {}});
  begin = Steady::now();
  for (int i = 0; i < work.many; i += 1000) (void)store.enqueue(thousand);
  figures.enqueue_batch = per_second(work.many, begin);
  settle_down();

  begin = Steady::now();
  const int settled = work_all(store, work.batch);
  figures.claim_settle = per_second(settled, begin);
  if (settled != work.one + work.many) std::fprintf(stderr, "settled %d only\n", settled);
  return figures;
}

void print(const char* what, double holdfast, double floor) {
  std::printf("| %-36s | %9.0f | %9.0f | %5.2f |\n", what, holdfast, floor, holdfast / floor);
}

void print_all(const std::string& database, const Figures& ours, const Figures& floor) {
  print((database + ", enqueue one by one").c_str(), ours.enqueue_one, floor.enqueue_one);
  print((database + ", enqueue by 1,000").c_str(), ours.enqueue_batch, floor.enqueue_batch);
  print((database + ", claim+settle by 500").c_str(), ours.claim_settle, floor.claim_settle);
}

/// Share of updates that touched no index, while the jobs were worked.
void print_hot_share(const test::PostgresServer& server, const std::string& conninfo) {
  (void)server;
  auto store = postgres::open(conninfo);
  store.state()->with_connection([](db::Connection& connection) {
    connection.execute("select pg_stat_force_next_flush()", {}, [](const Row&) {});
    connection.execute(
        "select n_tup_upd, n_tup_hot_upd from pg_stat_user_tables where relname = 'jobs'", {},
        [](const Row& row) {
          std::printf(
              "\nHOT updates of holdfast.jobs: %lld of %lld (%.1f %%)\n",
              static_cast<long long>(row.integer(1)), static_cast<long long>(row.integer(0)),
              100.0 * static_cast<double>(row.integer(1)) / static_cast<double>(row.integer(0)));
        });
  });
}

int run(int jobs) {
  Work work;
  work.many = jobs;
  const test::TemporaryDirectory directory;
  std::printf("| jobs per second                      |  Holdfast | raw floor | ratio |\n");
  std::printf("| ------------------------------------ | --------: | --------: | ----: |\n");
  const Figures sqlite_raw = sqlite_floor(directory / "floor.db", work);
  const Figures sqlite = measure(sqlite::open(directory / "queue.db"), work, [] {});
  print_all("SQLite", sqlite, sqlite_raw);

  test::PostgresServerOptions options;
  options.medium = test::Medium::disk;
  options.settings = {"shared_buffers=512MB"};
  test::PostgresServer server(options);
  server.start();
  server.execute("create database floor");
  server.execute("create database queue");
  const Figures postgres_raw = postgres_floor(server.conninfo("floor"), work);
  const Figures ours = measure(postgres::open(server.conninfo("queue")), work,
                               [&] { server.execute("vacuum analyze holdfast.jobs", "queue"); });
  print_all("PostgreSQL", ours, postgres_raw);
  print_hot_share(server, server.conninfo("queue"));
  return 0;
}

}  // namespace
}  // namespace holdfast::bench

int main(int argc, char** argv) {
  return holdfast::bench::run(argc > 1 ? std::atoi(argv[1]) : 100'000);
}
