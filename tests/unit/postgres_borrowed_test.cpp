#ifdef HOLDFAST_WITH_POSTGRES
#include "db/postgres_savepoint.hpp"
#include "db/postgres_session.hpp"
#include "postgres_fixture.hpp"

namespace holdfast::test {
namespace {

/// An application's connection that a session borrows.
class PostgresBorrowedTest : public PostgresTest {
 protected:
  void sql(const char* text) const { PQclear(PQexec(application.get(), text)); }

  [[nodiscard]] std::optional<Code> code_of_a_call() {
    return code_thrown_by([&] { borrowed.execute("select 1"); });
  }

  RawPostgres application = raw_connection(database.conninfo());
  db::PostgresSession borrowed{application.get()};
};

TEST_F(PostgresBorrowedTest, works_inside_the_transaction_of_the_caller) {
  sql("begin");
  EXPECT_EQ(borrowed.execute("insert into notes values (1, 'a')"), 1);
  EXPECT_EQ(committed_notes(), 0);
  sql("commit");
  EXPECT_EQ(committed_notes(), 1);
}

TEST_F(PostgresBorrowedTest, an_aborted_transaction_is_misuse) {
  sql("begin");
  sql("select 1 / 0");
  EXPECT_EQ(code_of_a_call(), Code::misuse);
}

TEST_F(PostgresBorrowedTest, a_busy_connection_is_misuse) {
  ASSERT_EQ(PQsendQuery(application.get(), "select 1"), 1);
  EXPECT_EQ(code_of_a_call(), Code::misuse);
}

TEST_F(PostgresBorrowedTest, a_connection_in_copy_mode_is_misuse) {
  sql("copy notes from stdin");
  EXPECT_EQ(code_of_a_call(), Code::misuse);
}

TEST_F(PostgresBorrowedTest, a_connection_in_pipeline_mode_is_misuse) {
  ASSERT_EQ(PQenterPipelineMode(application.get()), 1);
  EXPECT_EQ(code_of_a_call(), Code::misuse);
}

TEST_F(PostgresBorrowedTest, a_client_encoding_that_changes_our_text_is_misuse) {
  ASSERT_EQ(PQsetClientEncoding(application.get(), "LATIN1"), 0);
  EXPECT_EQ(code_of_a_call(), Code::misuse);
}

TEST_F(PostgresBorrowedTest, a_serialization_failure_asks_for_a_restart) {
  session().execute("insert into notes values (1, 'a')");
  sql("begin isolation level repeatable read");
  borrowed.execute("select * from notes");
  session().execute("update notes set body = 'b'");
  EXPECT_EQ(code_thrown_by([&] { borrowed.execute("update notes set body = 'c'"); }),
            Code::restart);
}

TEST_F(PostgresBorrowedTest, synchronous_commit_off_is_refused_with_the_mend) {
  db::check_durability(application.get(), Durability::full);
  sql("set synchronous_commit = off");
  const Error error =
      thrown_by([&] { db::check_durability(application.get(), Durability::full); }).value();
  EXPECT_EQ(error.code(), Code::durability);
  EXPECT_NE(std::string(error.what()).find("set synchronous_commit = on"), std::string::npos);
  db::check_durability(application.get(), Durability::relaxed);
}

TEST_F(PostgresBorrowedTest, a_savepoint_leaves_the_transaction_usable_after_an_error) {
  sql("begin");
  borrowed.execute("insert into notes values (1, 'kept')");
  static_cast<void>(code_thrown_by([&] {
    db::Savepoint savepoint(application.get());
    borrowed.execute("insert into notes values (2, 'dropped')");
    borrowed.execute("select 1 / 0");
  }));
  EXPECT_EQ(borrowed.execute("select 1 from notes"), 1);
  sql("commit");
  EXPECT_EQ(committed_notes(), 1);
}

TEST_F(PostgresBorrowedTest, a_released_savepoint_keeps_what_was_done) {
  sql("begin");
  db::Savepoint savepoint(application.get());
  borrowed.execute("insert into notes values (1, 'kept')");
  savepoint.release();
  sql("commit");
  EXPECT_EQ(committed_notes(), 1);
}

TEST_F(PostgresBorrowedTest, a_savepoint_outside_a_transaction_does_nothing) {
  db::Savepoint savepoint(application.get());
  EXPECT_EQ(PQtransactionStatus(application.get()), PQTRANS_IDLE);
}

}  // namespace
}  // namespace holdfast::test
#endif
