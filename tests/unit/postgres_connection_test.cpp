#ifdef HOLDFAST_WITH_POSTGRES
#include <chrono>

#include "postgres_fixture.hpp"
#include "support/child.hpp"
#include "support/cutting_proxy.hpp"
#include "support/manual_clock.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using PostgresConnectionTest = PostgresTest;

std::string setting(Session& session, std::string_view name) {
  std::string value;
  session.execute("select current_setting($1)", {name},
                  [&](const Row& row) { value = row.text(0); });
  return value;
}

TEST_F(PostgresConnectionTest, transactions_are_read_committed_whatever_the_default) {
  shared_postgres().execute("alter database " + database.name() +
                            " set default_transaction_isolation = 'serializable'");
  session().reconnect();
  session().begin();
  EXPECT_EQ(setting(session(), "transaction_isolation"), "read committed");
  session().rollback();
}

TEST_F(PostgresConnectionTest, commits_wait_for_the_disk_although_the_database_says_otherwise) {
  shared_postgres().execute("alter database " + database.name() + " set synchronous_commit = off");
  session().reconnect();
  session().begin();
  EXPECT_EQ(setting(session(), "synchronous_commit"), "on");
  EXPECT_EQ(session().commit(), db::Committed::yes);
  EXPECT_EQ(setting(session(), "synchronous_commit"), "off");
}

TEST_F(PostgresConnectionTest, a_stricter_synchronous_commit_is_left_alone) {
  shared_postgres().execute("alter database " + database.name() +
                            " set synchronous_commit = remote_apply");
  session().reconnect();
  session().begin();
  EXPECT_EQ(setting(session(), "synchronous_commit"), "remote_apply");
  session().rollback();
}

TEST_F(PostgresConnectionTest, a_database_in_another_encoding_is_refused) {
  shared_postgres().execute("create database latin encoding 'LATIN1' template template0");
  const Error error = thrown_by([&] { connect(shared_postgres().conninfo("latin")); }).value();
  shared_postgres().execute("drop database latin");
  EXPECT_EQ(error.code(), Code::schema);
  EXPECT_NE(std::string(error.what()).find("LATIN1"), std::string::npos) << error.what();
}

TEST_F(PostgresConnectionTest, a_second_begin_is_misuse) {
  session().begin();
  EXPECT_EQ(code_thrown_by([&] { session().begin(); }), Code::misuse);
  session().rollback();
}

TEST_F(PostgresConnectionTest, a_rollback_leaves_no_trace) {
  session().begin();
  session().execute("insert into notes values (1, 'a')");
  session().rollback();
  session().rollback();
  EXPECT_EQ(committed_notes(), 0);
}

TEST_F(PostgresConnectionTest, now_is_the_time_of_the_server) {
  const Time before = session().now();
  Time server;
  session().execute("select (extract(epoch from clock_timestamp()) * 1000000)::bigint", {},
                    [&](const Row& row) { server = Time(Duration(row.integer(0))); });
  const Time after = session().now();
  EXPECT_LT(before - 100ms, server);
  EXPECT_GT(after + 100ms, server);
}

TEST_F(PostgresConnectionTest, a_clock_that_jumped_is_reported_once) {
  ManualClock clock;
  const auto opened = db::open_postgres(database.conninfo(), Durability::full, clock);
  const auto watched = opened->connect(db::Lane::normal);
  clock.advance(1h);  // the steady clock only: for the server no time has passed
  EXPECT_LT(watched->sync_clock(), -59min);
  EXPECT_GT(watched->sync_clock(), -1min);
  EXPECT_LT(session().sync_clock(), 100ms);
}

TEST_F(PostgresConnectionTest, a_forked_child_can_neither_use_nor_close_the_connection) {
  session().begin();
  session().execute("insert into notes values (1, 'a')");
  EXPECT_TRUE(in_child([&] {
    const auto code = code_thrown_by([&] { session().execute("select 1"); });
    session().rollback();
    connection.reset();
    return code == Code::forked;
  }));
  EXPECT_EQ(session().commit(), db::Committed::yes);
  EXPECT_EQ(committed_notes(), 1);
}

TEST_F(PostgresConnectionTest, a_forked_child_may_open_a_connection_of_its_own) {
  EXPECT_TRUE(in_child([&] {
    session().reconnect();
    return session().execute("select 1") == 1;
  }));
  EXPECT_EQ(session().execute("select 1"), 1);
}

TEST_F(PostgresConnectionTest, connects_again_after_the_server_came_back) {
  shared_postgres().crash();
  EXPECT_EQ(code_thrown_by([&] { session().begin(); }), Code::disconnected);
  EXPECT_TRUE(session().broken());
  EXPECT_EQ(code_thrown_by([&] { session().reconnect(); }), Code::disconnected);
  shared_postgres().start();
  session().reconnect();
  EXPECT_FALSE(session().broken());
  EXPECT_EQ(session().execute("select 1"), 1);
}

TEST_F(PostgresConnectionTest, a_lost_connection_is_broken_until_it_is_opened_again) {
  CuttingProxy proxy(shared_postgres());
  const auto cut = connect(proxy.conninfo(database.name()));
  proxy.refuse_connections(true);
  proxy.cut_all();
  EXPECT_EQ(code_thrown_by([&] { cut->begin(); }), Code::disconnected);
  EXPECT_EQ(code_thrown_by([&] { cut->reconnect(); }), Code::disconnected);
  EXPECT_TRUE(cut->broken());
  proxy.refuse_connections(false);
  cut->reconnect();
  EXPECT_FALSE(cut->broken());
}

TEST(PostgresConnection, a_server_without_fsync_is_refused_unless_that_was_chosen) {
  const PostgresServer careless({.settings = {"fsync=off"}});
  const auto connect = [&](Durability durability) {
    return db::open_postgres(careless.conninfo(), durability, system_clock())
        ->connect(db::Lane::normal);
  };
  EXPECT_EQ(code_thrown_by([&] { connect(Durability::full); }), Code::durability);
  EXPECT_EQ(connect(Durability::relaxed)->execute("select 1"), 1);
}

TEST_F(PostgresConnectionTest,
       a_transaction_that_begins_with_its_first_statement_is_one_like_others) {
  session().begin_with_first();
  EXPECT_TRUE(session().in_transaction());
  session().execute("insert into notes values (1, 'a')");
  EXPECT_EQ(setting(session(), "transaction_isolation"), "read committed");
  EXPECT_EQ(committed_notes(), 0);
  EXPECT_EQ(session().commit(), db::Committed::yes);
  EXPECT_EQ(committed_notes(), 1);
}

TEST_F(PostgresConnectionTest, a_first_statement_that_fails_aborts_its_transaction) {
  session().begin_with_first();
  EXPECT_EQ(code_thrown_by([&] { session().execute("insert into notes values ('a', 1)"); }),
            Code::constraint);
  EXPECT_EQ(session().commit(), db::Committed::no);
  session().begin_with_first();
  session().execute("insert into notes values (1, 'a')");
  session().rollback();
  EXPECT_EQ(committed_notes(), 0);
}

TEST_F(PostgresConnectionTest, a_transaction_without_a_statement_is_never_sent) {
  session().begin_with_first();
  EXPECT_EQ(session().commit(), db::Committed::yes);
  session().begin_with_first();
  session().rollback();
  EXPECT_FALSE(session().in_transaction());
  session().execute("insert into notes values (1, 'a')");
  EXPECT_EQ(committed_notes(), 1);
}

TEST_F(PostgresConnectionTest, waits_for_the_disk_also_when_it_begins_with_its_first_statement) {
  shared_postgres().execute("alter database " + database.name() + " set synchronous_commit = off");
  session().reconnect();
  EXPECT_FALSE(session().may_write_alone());
  session().begin_with_first();
  EXPECT_EQ(setting(session(), "synchronous_commit"), "on");
  EXPECT_EQ(session().commit(), db::Committed::yes);
}

TEST_F(PostgresConnectionTest, writes_alone_only_where_the_default_is_read_committed) {
  EXPECT_TRUE(session().may_write_alone());
  shared_postgres().execute("alter database " + database.name() +
                            " set default_transaction_isolation = 'serializable'");
  session().reconnect();
  EXPECT_FALSE(session().may_write_alone());
}

TEST_F(PostgresConnectionTest, keeps_a_marked_statement_and_runs_it_again) {
  const Statement note{
      .name = "note", .sql = "insert into notes values ($1, $2)", .plan = Plan::kept};
  for (std::int64_t id = 1; id <= 3; ++id) EXPECT_EQ(session().run(note, {id, "a"}), 1);
  std::int64_t kept = 0;
  session().execute("select count(*) from pg_prepared_statements where name = 'note'", {},
                    [&](const Row& row) { kept = row.integer(0); });
  EXPECT_EQ(kept, 1);
  session().reconnect();
  EXPECT_EQ(session().run(note, {std::int64_t{4}, "a"}), 1);
}

}  // namespace
}  // namespace holdfast::test
#endif
