#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "holdfast/postgres.hpp"
#include "holdfast/worker.hpp"
#include "queue/store_state.hpp"
#include "support/campaign.hpp"
#include "support/cutting_proxy.hpp"
#include "support/pgbouncer.hpp"
#include "support/postgres_server.hpp"
#include "support/thrown.hpp"

/// PostgreSQL through something that is not just a wire.
namespace holdfast::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

std::int64_t number(const std::string& conninfo, const std::string& query) {
  std::int64_t number = -1;
  postgres::open(conninfo).state()->with_connection([&](db::Connection& connection) {
    connection.execute(query, {}, [&](const Row& row) { number = row.integer(0); });
  });
  return number;
}

/// Works everything with a worker of its own; each job leaves one effect through done_in.
WorkerReport drain(const Store& store, int threads) {
  Handlers handlers;
  handlers.on("k", [](Run& run) {
    const JobId id = run.job().id;
    (void)run.done_in(
        [&](Session& tx) { tx.execute("insert into effects (job) values ($1)", {id}); });
    return done();
  });
  WorkerOptions options;
  options.queues = {{"default", {.threads = threads}}};
  options.lease = seconds(2);
  options.drain = true;
  options.connections_max = 5;
  Worker worker(store, handlers, options);
  std::stop_source never;
  return worker.run(never.get_token());
}

class Network : public ::testing::Test {
 protected:
  Network() {
    direct.migrate();
    direct.state()->with_connection([](db::Connection& connection) {
      connection.execute("create table effects (job bigint not null)");
    });
  }
  [[nodiscard]] std::int64_t count(const std::string& query) const {
    return number(database.conninfo(), query);
  }

  FreshPostgres database;
  Store direct = postgres::open(database.conninfo());
};

TEST_F(Network, cut_commits_double_no_effect_and_lose_no_job) {
  CuttingProxy proxy{shared_postgres()};
  const Store cut = postgres::open(proxy.conninfo(database.name()));
  proxy.cut_randomly(0.15, 42);
  std::jthread heal([&](std::stop_token stop) {
    // The policy's back-off is long: what failed on a cut is made due again, as an operator would.
    while (!stop.stop_requested()) {
      direct.state()->with_connection([](db::Connection& connection) {
        connection.execute(
            "update holdfast.jobs set run_at = holdfast.now_us()"
            " where claim_id is null and run_at > holdfast.now_us()");
      });
      std::this_thread::sleep_for(milliseconds(20));
    }
  });
  int jobs = 0;
  while (proxy.cuts() < rounds(5, 10'000)) {
    const std::vector<NewJob> more(150, NewJob{"k", "{}", {.max_attempts = 1000}});
    (void)direct.enqueue(more);
    jobs += static_cast<int>(more.size());
    (void)drain(cut, 4);
  }
  EXPECT_EQ(count("select count(*) from holdfast.history where state = 'succeeded'"), jobs);
  EXPECT_EQ(count("select count(*) from holdfast.jobs"), 0);
  EXPECT_EQ(count("select count(*) from effects"), jobs);
  EXPECT_EQ(count("select count(distinct job) from effects"), jobs);
}

TEST_F(Network, an_enqueue_with_a_key_is_safe_to_repeat_when_its_commit_was_cut) {
  CuttingProxy proxy{shared_postgres()};
  const Store cut = postgres::open(proxy.conninfo(database.name()));
  (void)cut.enqueue(NewJob{"k", "{}", {}});
  int doubts = 0;
  for (int i = 0; i < 30; ++i) {
    const NewJob job{"k", "{}", {.unique_key = "key " + std::to_string(i)}};
    proxy.cut_next_commit(i % 2 == 0 ? Cut::before_commit : Cut::before_answer);
    const auto error = thrown_by([&] { (void)cut.enqueue(job); });
    if (error) {
      EXPECT_EQ(error->code(), Code::in_doubt) << error->what();
      ++doubts;
    }
    EXPECT_GT(cut.enqueue(job).id, 0);
  }
  EXPECT_GT(doubts, 0);
  EXPECT_EQ(count("select count(*) from holdfast.jobs"), 31);
}

TEST_F(Network, everything_runs_behind_a_pooler_in_transaction_mode_and_no_lock_stays) {
  const PgBouncer pooler{shared_postgres(), 2};
  const Store pooled = postgres::open(pooler.conninfo(database.name()), {.schema = "pooled"});
  pooled.migrate();
  constexpr int jobs = 200;
  (void)pooled.enqueue(std::vector<NewJob>(jobs, NewJob{"k", "{}", {}}));
  const auto report = drain(pooled, 3);
  EXPECT_EQ(report.succeeded, jobs);
  EXPECT_EQ(count("select count(*) from effects"), jobs);
  EXPECT_EQ(count("select count(*) from pg_locks where locktype = 'advisory'"), 0);
}

}  // namespace
}  // namespace holdfast::test
