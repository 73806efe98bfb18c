#ifdef HOLDFAST_WITH_POSTGRES
#include <string>

#include "postgres_fixture.hpp"
#include "support/cutting_proxy.hpp"
#include "support/pgbouncer.hpp"

namespace holdfast::test {
namespace {

using db::Committed;

class PostgresCommitTest : public PostgresTest {
 protected:
  [[nodiscard]] std::string through_proxy() const { return proxy.conninfo(database.name()); }

  /// Writes note 1 through the proxy and commits it.
  [[nodiscard]] Committed commit_a_note(db::Connection& connection) const {
    connection.begin();
    connection.execute("insert into notes values (1, 'a')");
    return connection.commit();
  }

  CuttingProxy proxy{shared_postgres()};
};

TEST_F(PostgresCommitTest, a_transaction_that_a_statement_aborted_was_not_committed) {
  session().begin();
  session().execute("insert into notes values (1, 'a')");
  EXPECT_EQ(code_thrown_by([&] { session().execute("select 1 / 0"); }), Code::constraint);
  EXPECT_EQ(session().commit(), Committed::no);
  EXPECT_FALSE(session().broken());
  EXPECT_EQ(committed_notes(), 0);
}

TEST_F(PostgresCommitTest, a_commit_that_the_server_refuses_was_not_committed) {
  session().execute(
      "alter table notes add column parent bigint references notes deferrable initially deferred");
  session().begin();
  session().execute("insert into notes values (1, 'a', 99)");
  EXPECT_EQ(session().commit(), Committed::no);
  EXPECT_FALSE(session().in_transaction());
  EXPECT_EQ(committed_notes(), 0);
}

TEST_F(PostgresCommitTest, a_commit_through_the_undisturbed_proxy_is_committed) {
  EXPECT_EQ(commit_a_note(*connect(through_proxy())), Committed::yes);
  EXPECT_EQ(proxy.commits_seen(), 1);
  EXPECT_EQ(committed_notes(), 1);
}

TEST_F(PostgresCommitTest, a_connection_cut_before_the_commit_arrives_leaves_doubt) {
  const auto cut = connect(through_proxy());
  proxy.cut_next_commit(Cut::before_commit);
  EXPECT_EQ(commit_a_note(*cut), Committed::in_doubt);
  EXPECT_TRUE(cut->broken());
  EXPECT_EQ(committed_notes(), 0);
}

TEST_F(PostgresCommitTest, a_connection_cut_before_the_answer_leaves_doubt) {
  const auto cut = connect(through_proxy());
  proxy.cut_next_commit(Cut::before_answer);
  EXPECT_EQ(commit_a_note(*cut), Committed::in_doubt);
  EXPECT_TRUE(cut->broken());
  EXPECT_EQ(committed_notes(), 1);
}

TEST_F(PostgresCommitTest, a_connection_cut_after_the_answer_was_committed) {
  const auto cut = connect(through_proxy());
  proxy.cut_next_commit(Cut::after_answer);
  EXPECT_EQ(commit_a_note(*cut), Committed::yes);
  EXPECT_EQ(committed_notes(), 1);
}

TEST_F(PostgresCommitTest, a_connection_known_to_be_lost_has_not_committed) {
  const auto cut = connect(through_proxy());
  cut->begin();
  proxy.cut_all();
  EXPECT_EQ(code_thrown_by([&] { cut->execute("insert into notes values (1)"); }),
            Code::disconnected);
  EXPECT_EQ(cut->commit(), Committed::no);
}

TEST_F(PostgresCommitTest, a_lone_write_whose_answer_is_lost_is_in_doubt) {
  const auto cut = connect(through_proxy());
  proxy.cut_all();
  EXPECT_EQ(code_thrown_by([&] { cut->execute("insert into notes values (1)"); }), Code::in_doubt);
}

TEST_F(PostgresCommitTest, a_lone_read_whose_answer_is_lost_is_disconnected) {
  const auto cut = connect(through_proxy());
  proxy.cut_all();
  EXPECT_EQ(code_thrown_by([&] { cut->execute("select 1"); }), Code::disconnected);
}

TEST_F(PostgresCommitTest, every_answer_of_a_flaky_network_agrees_with_the_table) {
  proxy.cut_randomly(0.5, 20240229);
  auto flaky = connect(through_proxy());
  int doubts = 0;
  for (std::int64_t id = 1; id <= 60; ++id) {
    if (flaky->broken()) flaky->reconnect();
    Committed answer = Committed::no;
    try {
      flaky->begin();
      flaky->execute("insert into notes values ($1)", {id});
      answer = flaky->commit();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::disconnected) << error.what();
    }
    const auto found = session().execute("select 1 from notes where id = $1", {id});
    if (answer == Committed::in_doubt) {
      ++doubts;
    } else {
      EXPECT_EQ(found, answer == Committed::yes ? 1 : 0) << id;
    }
  }
  EXPECT_GT(doubts, 0);
  EXPECT_GT(proxy.cuts(), 10);
}

TEST_F(PostgresCommitTest, a_session_that_is_terminated_has_not_committed) {
  session().begin();
  session().execute("insert into notes values (1, 'a')");
  std::int64_t backend = 0;
  session().execute("select pg_backend_pid()::bigint", {},
                    [&](const Row& row) { backend = row.integer(0); });
  shared_postgres().execute("select pg_terminate_backend(" + std::to_string(backend) + ", 5000)");
  EXPECT_NE(session().commit(), Committed::yes);
  EXPECT_TRUE(session().broken());
  EXPECT_EQ(committed_notes(), 0);
}

TEST_F(PostgresCommitTest, a_statement_must_not_end_the_transaction) {
  session().begin();
  EXPECT_EQ(code_thrown_by([&] { session().execute("commit"); }), Code::misuse);
  EXPECT_FALSE(session().in_transaction());
  EXPECT_EQ(code_thrown_by([&] { static_cast<void>(session().commit()); }), Code::misuse);
}

TEST_F(PostgresCommitTest, transactions_work_through_a_pooler) {
  const PgBouncer pooler(shared_postgres(), 1);
  const auto first = connect(pooler.conninfo(database.name()));
  const auto second = connect(pooler.conninfo(database.name()));
  Batch batch{Column::integer, Column::text};
  batch.add({std::int64_t{1}, "a"});
  const Statement insert{"insert_notes",
                         "insert into notes select * from unnest($1::bigint[], $2::text[])"};
  first->begin();
  EXPECT_EQ(first->run_many(insert, batch, {}), 1);
  EXPECT_EQ(first->commit(), Committed::yes);
  second->begin();
  EXPECT_EQ(second->execute("select 1 from notes where body = $1", {"a"}), 1);
  EXPECT_EQ(second->commit(), Committed::yes);
}

}  // namespace
}  // namespace holdfast::test
#endif
