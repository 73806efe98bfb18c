#include <gtest/gtest.h>
#include <libpq-fe.h>
#include <sqlite3.h>

#include <memory>
#include <string>
#include <thread>

#include "holdfast/postgres.hpp"
#include "holdfast/sqlite.hpp"
#include "support/postgres_server.hpp"
#include "support/temporary_directory.hpp"
#include "support/thrown.hpp"

/// Enqueueing on the application's own connection, in its own transaction.
namespace holdfast::test {
namespace {

using Sqlite = std::unique_ptr<sqlite3, decltype(&sqlite3_close)>;
using Postgres = std::unique_ptr<PGconn, decltype(&PQfinish)>;

struct Receipt {
  static constexpr std::string_view kind = "receipt";
  int order = 0;
  [[nodiscard]] std::string encode() const { return std::to_string(order); }
  static Receipt decode(std::string_view text) { return {std::stoi(std::string(text))}; }
};

class SqliteOutlet : public ::testing::Test {
 protected:
  SqliteOutlet() {
    store.migrate();
    run("pragma synchronous = full");
    run("create table orders (id integer primary key)");
  }

  [[nodiscard]] Sqlite open() const {
    sqlite3* handle = nullptr;
    EXPECT_EQ(sqlite3_open(path.c_str(), &handle), SQLITE_OK);
    return {handle, &sqlite3_close};
  }
  void run(const char* sql) {
    ASSERT_EQ(sqlite3_exec(db.get(), sql, nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(db.get());
  }
  [[nodiscard]] std::size_t jobs() const { return store.list({}).size(); }

  TemporaryDirectory directory;
  std::string path = directory / "shop.db";
  Store store = sqlite::open(path);
  Sqlite db = open();
};

TEST_F(SqliteOutlet, a_job_is_committed_with_the_business_data_or_not_at_all) {
  sqlite::Outlet outlet{db.get()};
  run("begin");
  run("insert into orders values (1)");
  (void)outlet.enqueue(Receipt{1}, {.queue = "mail"});
  EXPECT_EQ(jobs(), 0u) << "not before the commit";
  run("commit");
  EXPECT_EQ(jobs(), 1u);
  run("begin");
  (void)outlet.enqueue(Receipt{2});
  run("rollback");
  EXPECT_EQ(jobs(), 1u);
}

TEST_F(SqliteOutlet, a_stale_transaction_is_told_to_begin_again_and_keeps_nothing) {
  sqlite::Outlet outlet{db.get()};
  run("begin");
  run("select count(*) from orders");
  (void)store.enqueue(Receipt{1});  // somebody else commits: the snapshot is old now
  EXPECT_EQ(code_thrown_by([&] { (void)outlet.enqueue(Receipt{2}); }), Code::restart);
  run("rollback");
  run("begin");
  (void)outlet.enqueue(Receipt{2});
  run("commit");
  EXPECT_EQ(jobs(), 2u);
}

// Case 13. SQLite asks no busy handler there: whatever comes of the other one, waiting cannot help.
TEST_F(SqliteOutlet, a_transaction_that_has_read_while_another_writes_is_told_to_begin_again) {
  sqlite3_busy_timeout(db.get(), 10'000);
  sqlite::Outlet outlet{db.get()};
  const Sqlite writer = open();
  run("begin");
  run("select count(*) from orders");
  ASSERT_EQ(sqlite3_exec(writer.get(), "begin immediate", nullptr, nullptr, nullptr), SQLITE_OK);
  EXPECT_EQ(code_thrown_by([&] { (void)outlet.enqueue(Receipt{1}); }), Code::restart);
  ASSERT_EQ(sqlite3_exec(writer.get(), "rollback", nullptr, nullptr, nullptr), SQLITE_OK);
  run("rollback");
  EXPECT_EQ(jobs(), 0u);
}

TEST_F(SqliteOutlet, a_transaction_that_has_not_read_waits_for_another_writer) {
  sqlite3_busy_timeout(db.get(), 10'000);
  for (const bool with_key : {false, true}) {
    sqlite::Outlet outlet{db.get()};
    const Sqlite writer = open();
    run("begin");
    ASSERT_EQ(sqlite3_exec(writer.get(), "begin immediate", nullptr, nullptr, nullptr), SQLITE_OK);
    std::jthread ends([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      sqlite3_exec(writer.get(), "insert into orders default values; commit", nullptr, nullptr,
                   nullptr);
    });
    EnqueueOptions options;
    if (with_key) options.unique_key = "key";
    EXPECT_EQ(code_thrown_by([&] { (void)outlet.enqueue(Receipt{1}, options); }), std::nullopt);
    run("commit");
  }
  EXPECT_EQ(jobs(), 2u);
}

TEST(Outlets, without_a_connection_are_refused) {
  EXPECT_EQ(code_thrown_by([] { const sqlite::Outlet outlet(nullptr); }), Code::misuse);
  EXPECT_EQ(code_thrown_by([] { const postgres::Outlet outlet(nullptr); }), Code::misuse);
}

TEST_F(SqliteOutlet, a_connection_that_would_lose_commits_is_refused_with_the_pragma) {
  run("pragma synchronous = normal");
  const auto error = thrown_by([&] { sqlite::Outlet{db.get()}; });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), Code::durability);
  EXPECT_NE(std::string(error->what()).find("synchronous"), std::string::npos) << error->what();
  sqlite::Outlet relaxed{db.get(), {.durability = Durability::relaxed}};
  (void)relaxed.enqueue(Receipt{1});
  EXPECT_EQ(jobs(), 1u);
}

TEST_F(SqliteOutlet, an_existing_key_leaves_the_callers_transaction_usable) {
  sqlite::Outlet outlet{db.get()};
  const auto id = store.enqueue(Receipt{1}, {.unique_key = "u"}).id;
  run("begin");
  run("insert into orders values (1)");
  EXPECT_EQ(outlet.enqueue(Receipt{2}, {.unique_key = "u"}).id, id);
  run("insert into orders values (2)");
  run("commit");
  EXPECT_EQ(jobs(), 1u);
}

TEST_F(SqliteOutlet, a_database_without_the_tables_is_told_so) {
  const TemporaryDirectory other;
  sqlite3* handle = nullptr;
  ASSERT_EQ(sqlite3_open((other / "empty.db").c_str(), &handle), SQLITE_OK);
  const Sqlite empty(handle, &sqlite3_close);
  sqlite3_exec(handle, "pragma journal_mode = wal", nullptr, nullptr, nullptr);
  sqlite::Outlet outlet{handle};
  const auto error = thrown_by([&] { (void)outlet.enqueue(Receipt{1}); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), Code::schema);
  EXPECT_NE(std::string(error->what()).find("holdfast init"), std::string::npos);
}

class PostgresOutlet : public ::testing::Test {
 protected:
  PostgresOutlet() {
    store.migrate();
    EXPECT_TRUE(run("create table orders (id bigint primary key)"));
  }

  [[nodiscard]] bool run(const char* sql) const {
    const std::unique_ptr<PGresult, decltype(&PQclear)> result(PQexec(db.get(), sql), &PQclear);
    const auto status = PQresultStatus(result.get());
    return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
  }
  [[nodiscard]] std::size_t jobs() const { return store.list({}).size(); }

  FreshPostgres database;
  Store store = postgres::open(database.conninfo());
  Postgres db{PQconnectdb(database.conninfo().c_str()), &PQfinish};
};

TEST_F(PostgresOutlet, a_job_is_committed_with_the_business_data_or_not_at_all) {
  postgres::Outlet outlet{db.get()};
  ASSERT_TRUE(run("begin"));
  ASSERT_TRUE(run("insert into orders values (1)"));
  (void)outlet.enqueue(Receipt{1}, {.queue = "mail"});
  EXPECT_EQ(jobs(), 0u);
  ASSERT_TRUE(run("commit"));
  EXPECT_EQ(jobs(), 1u);
  ASSERT_TRUE(run("begin"));
  (void)outlet.enqueue(Receipt{2});
  ASSERT_TRUE(run("rollback"));
  EXPECT_EQ(jobs(), 1u);
}

TEST_F(PostgresOutlet, an_existing_key_leaves_the_callers_transaction_usable) {
  postgres::Outlet outlet{db.get()};
  const auto id = store.enqueue(Receipt{1}, {.unique_key = "u"}).id;
  ASSERT_TRUE(run("begin"));
  ASSERT_TRUE(run("insert into orders values (1)"));
  EXPECT_EQ(outlet.enqueue(Receipt{2}, {.unique_key = "u"}).id, id);
  ASSERT_TRUE(run("insert into orders values (2)"));
  ASSERT_TRUE(run("commit"));
  EXPECT_EQ(jobs(), 1u);
}

TEST_F(PostgresOutlet, an_aborted_transaction_is_misuse_and_a_refused_value_never_aborts_one) {
  postgres::Outlet outlet{db.get()};
  ASSERT_TRUE(run("begin"));
  EXPECT_EQ(code_thrown_by([&] { (void)outlet.enqueue(NewJob{"", "{}", {}}); }), Code::invalid);
  (void)outlet.enqueue(Receipt{1});
  EXPECT_FALSE(run("select 1 / 0"));
  EXPECT_EQ(code_thrown_by([&] { (void)outlet.enqueue(Receipt{2}); }), Code::misuse);
  ASSERT_TRUE(run("rollback"));
  EXPECT_EQ(jobs(), 0u);
}

TEST_F(PostgresOutlet, a_savepoint_keeps_the_transaction_usable_after_an_error) {
  postgres::Outlet outlet{db.get(), {.schema = "elsewhere", .savepoint = true}};
  ASSERT_TRUE(run("begin"));
  ASSERT_TRUE(run("insert into orders values (1)"));
  EXPECT_EQ(code_thrown_by([&] { (void)outlet.enqueue(Receipt{1}); }), Code::schema);
  EXPECT_TRUE(run("insert into orders values (2)"));
  EXPECT_TRUE(run("commit"));
}

TEST_F(PostgresOutlet, a_snapshot_that_cannot_see_the_holder_is_told_to_begin_again) {
  postgres::Outlet outlet{db.get()};
  ASSERT_TRUE(run("begin isolation level repeatable read"));
  ASSERT_TRUE(run("select count(*) from orders"));
  (void)store.enqueue(Receipt{1}, {.unique_key = "u"});
  EXPECT_EQ(code_thrown_by([&] { (void)outlet.enqueue(Receipt{2}, {.unique_key = "u"}); }),
            Code::restart);
  ASSERT_TRUE(run("rollback"));
}

TEST_F(PostgresOutlet, asynchronous_commit_is_refused) {
  ASSERT_TRUE(run("set synchronous_commit = off"));
  EXPECT_EQ(code_thrown_by([&] { postgres::Outlet{db.get()}; }), Code::durability);
}

}  // namespace
}  // namespace holdfast::test
