#include "conformance/wake_test.hpp"
#include "holdfast/postgres.hpp"
#include "support/pgbouncer.hpp"
#include "support/postgres_server.hpp"

/// The gate on PostgreSQL: enqueuers notify while somebody sleeps, and only then.
namespace holdfast::test {
namespace {

using std::chrono::milliseconds;

class WakeGate : public WakeTest {
 protected:
  /// How many notifications reach a listener while `work` is done, one for each transaction.
  [[nodiscard]] int notifications(const std::function<void()>& work) {
    db::Database& database = q.store().state()->database();
    const auto ear = database.connect(db::Lane::normal);
    const auto watch = database.watch(*ear, &q.sql()[store::Sql::listen]);
    work();
    // The same backend answers after it has sent what it was told.
    ear->execute("select 1");
    return watch->listen().news;
  }

  void someone_sleeps_for(const std::string& microseconds) {
    q.connection().execute("select holdfast.sleep('w', " + microseconds + ")");
  }

  /// By a transaction whose snapshot is older than the sleep.
  void insert_in(const std::string& isolation) {
    const auto connection = q.store().state()->database().connect(db::Lane::normal);
    connection->execute("begin isolation level " + isolation);
    connection->execute("select count(*) from holdfast.sleepers");
    someone_sleeps_for("60000000");
    connection->execute("insert into holdfast.jobs (kind) values ('k')");
    connection->execute("commit");
    someone_sleeps_for("0");
  }
};
INSTANTIATE_TEST_SUITE_P(Everywhere, WakeGate, ::testing::Values(Backend::postgres), backend_name);

TEST_P(WakeGate, stays_open_while_one_of_several_sleeps) {
  q.connection().execute("select holdfast.sleep('other', 60000000)");
  someone_sleeps_for("60000000");
  someone_sleeps_for("0");
  EXPECT_EQ(notifications([&] { plain_insert(); }), 1);
  q.connection().execute("select holdfast.sleep('other', 0)");
  EXPECT_EQ(notifications([&] { plain_insert(); }), 0);
}

TEST_P(WakeGate, is_shut_while_nobody_sleeps) {
  EXPECT_EQ(notifications([&] { plain_insert(); }), 0);
  someone_sleeps_for("60000000");
  EXPECT_EQ(notifications([&] { plain_insert(); }), 1);
}

TEST_P(WakeGate, is_shut_again_when_the_announcement_of_a_dead_worker_has_run_out) {
  someone_sleeps_for("200000");
  EXPECT_EQ(notifications([&] { plain_insert(); }), 1);
  std::this_thread::sleep_for(milliseconds(201));
  EXPECT_EQ(notifications([&] { plain_insert(); }), 0);
}

TEST_P(WakeGate, is_seen_as_it_is_by_transactions_with_an_older_snapshot) {
  EXPECT_EQ(notifications([&] { insert_in("read committed"); }), 1);
  EXPECT_EQ(notifications([&] { insert_in("repeatable read"); }), 1);
  EXPECT_EQ(notifications([&] { insert_in("serializable"); }), 1);
}

TEST_P(WakeGate, lets_a_role_through_that_may_do_nothing_but_insert) {
  someone_sleeps_for("60000000");
  q.connection().execute("create role clerk");
  q.connection().execute("grant usage on schema holdfast to clerk");
  q.connection().execute("grant insert on holdfast.jobs to clerk");
  q.connection().execute("set role clerk");
  EXPECT_EQ(notifications([&] { plain_insert(); }), 1);
  q.connection().execute("reset role");
  q.connection().execute("drop owned by clerk");
  q.connection().execute("drop role clerk");
}

TEST_P(WakeGate, is_opened_before_the_last_look_for_transactions_that_began_earlier) {
  for (const std::string isolation : {"read committed", "repeatable read", "serializable"}) {
    const auto early = q.store().state()->database().connect(db::Lane::normal);
    early->execute("begin isolation level " + isolation);
    early->execute("insert into holdfast.jobs (kind) values ('k')");
    const RunningWorker worker(q.store(), counting(), sleepy());
    ASSERT_TRUE(asleep());
    std::this_thread::sleep_for(milliseconds(100));
    const int before = started_;
    early->execute("commit");
    EXPECT_TRUE(started(before + 1)) << isolation;
  }
}

TEST_P(WakeGate, costs_the_enqueuers_of_a_busy_worker_few_notifications) {
  const RunningWorker worker(q.store(), counting(), sleepy());
  ASSERT_TRUE(asleep());
  std::vector<std::jthread> clients;
  for (int client = 0; client < 8; ++client) {
    clients.emplace_back([&] {
      const auto connection = q.store().state()->database().connect(db::Lane::normal);
      for (int job = 0; job < 250; ++job) {
        connection->execute("insert into holdfast.jobs (kind) values ('k')");
      }
    });
  }
  ASSERT_TRUE(started(1'000));  // it is busy now
  const int told = notifications([&] { EXPECT_TRUE(started(2'000)); });
  EXPECT_LE(told, 50);
}

TEST_P(WakeGate, is_left_in_good_order_by_a_worker_that_stops) {
  {
    const RunningWorker worker(q.store(), counting(), sleepy());
    ASSERT_TRUE(asleep());
  }
  EXPECT_EQ(q.number("select count(*) from holdfast.sleepers"), 0);
}

TEST_P(WakeGate, is_found_again_when_every_connection_was_lost) {
  const RunningWorker worker(q.store(), counting(), sleepy());
  ASSERT_TRUE(asleep());
  q.connection().execute("delete from holdfast.sleepers");
  q.connection().execute("select holdfast.sleep('w', 0)");
  q.connection().execute(
      "select pg_terminate_backend(pid) from pg_stat_activity"
      " where datname = current_database() and pid <> pg_backend_pid()");
  ASSERT_TRUE(asleep());
  plain_insert();
  EXPECT_TRUE(started(1));
}

TEST_P(WakeGate, without_its_trigger_leaves_workers_to_look_now_and_then) {
  q.store().migrate({.wake_trigger = false});
  q.store().migrate();  // does not bring it back
  EXPECT_EQ(q.number("select count(*) from pg_trigger where tgname = 'jobs_wake'"), 0);
  const RunningWorker worker(q.store(), counting());
  plain_insert();
  EXPECT_TRUE(started(1));
  EXPECT_EQ(q.number("select count(*) from holdfast.sleepers"), 0);
}

class WakeBehindAPooler : public WakeTest {
 protected:
  PgBouncer pooler{shared_postgres(), 4};
  std::string pooled = pooler.conninfo(q.number("select 1") == 1 ? database() : "");

 private:
  [[nodiscard]] std::string database() {
    std::string name;
    q.connection().execute("select current_database()", {},
                           [&](const Row& row) { name = row.text(0); });
    return name;
  }
};
INSTANTIATE_TEST_SUITE_P(Everywhere, WakeBehindAPooler, ::testing::Values(Backend::postgres),
                         backend_name);

TEST_P(WakeBehindAPooler, does_not_listen_where_nothing_would_be_heard_and_looks_instead) {
  const RunningWorker worker(postgres::open(pooled), counting());
  plain_insert();
  EXPECT_TRUE(started(1));
  EXPECT_EQ(q.number("select count(*) from holdfast.sleepers"), 0);
}

TEST_P(WakeBehindAPooler, listens_at_the_direct_address) {
  const RunningWorker worker(postgres::open(pooled, {.listen = q.address()}), counting(), sleepy());
  ASSERT_TRUE(asleep());
  for (int job = 1; job <= 5; ++job) {
    plain_insert();
    ASSERT_TRUE(started(job));
  }
}

TEST_P(WakeBehindAPooler, does_not_trust_an_address_that_leads_elsewhere) {
  const FreshPostgres elsewhere;
  const RunningWorker worker(postgres::open(pooled, {.listen = elsewhere.conninfo()}), counting());
  plain_insert();
  EXPECT_TRUE(started(1));
  EXPECT_EQ(q.number("select count(*) from holdfast.sleepers"), 0);
}

}  // namespace
}  // namespace holdfast::test
