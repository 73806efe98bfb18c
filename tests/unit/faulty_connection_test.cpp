#include "support/faulty_connection.hpp"

#include <gtest/gtest.h>

#include "db/sqlite_database.hpp"
#include "support/manual_clock.hpp"
#include "support/thrown.hpp"

namespace holdfast::test {
namespace {

using db::Committed;
using db::Lane;

const Statement add_row{"add_row", "insert into t values (1)"};

class FaultyConnectionTest : public ::testing::Test {
 protected:
  FaultyConnectionTest() { connection->script("create table t (id integer)"); }

  std::int64_t rows() { return real->connect(Lane::normal)->execute("select * from t"); }

  ManualClock clock;
  std::shared_ptr<db::Database> real = db::open_sqlite(":memory:", Durability::full, clock);
  std::shared_ptr<FaultPlan> plan = std::make_shared<FaultPlan>();
  FaultyDatabase faulty{real, plan};
  std::unique_ptr<db::Connection> connection = faulty.connect(Lane::normal);
};

TEST_F(FaultyConnectionTest, fails_at_the_planned_call_once) {
  plan->add({.call = 2, .code = Code::storage_full});
  EXPECT_EQ(connection->run(add_row), 1);
  EXPECT_EQ(code_thrown_by([&] { connection->run(add_row); }), Code::storage_full);
  EXPECT_EQ(connection->run(add_row), 1);
  EXPECT_EQ(plan->struck(), 1);
  EXPECT_EQ(rows(), 2);
}

TEST_F(FaultyConnectionTest, a_fault_after_the_call_leaves_its_work) {
  plan->add({.when = Fault::When::after});
  EXPECT_EQ(code_thrown_by([&] { connection->run(add_row); }), Code::storage);
  EXPECT_EQ(rows(), 1);
}

TEST_F(FaultyConnectionTest, fails_for_ever_and_for_one_statement_or_lane) {
  plan->add({.for_ever = true, .only = "add_row", .lane = Lane::normal});
  EXPECT_EQ(code_thrown_by([&] { connection->run(add_row); }), Code::storage);
  EXPECT_EQ(code_thrown_by([&] { connection->run(add_row); }), Code::storage);
  EXPECT_EQ(connection->execute("insert into t values (2)"), 1);
  EXPECT_EQ(faulty.connect(Lane::keeper)->run(add_row), 1);
}

TEST_F(FaultyConnectionTest, a_dropped_connection_rolls_back_until_reconnect) {
  connection->begin();
  connection->run(add_row);
  plan->add({.code = Code::disconnected});
  EXPECT_EQ(code_thrown_by([&] { connection->run(add_row); }), Code::disconnected);
  EXPECT_TRUE(connection->broken());
  EXPECT_EQ(code_thrown_by([&] { connection->begin(); }), Code::disconnected);
  EXPECT_EQ(connection->commit(), Committed::no);
  connection->reconnect();
  EXPECT_FALSE(connection->broken());
  EXPECT_EQ(rows(), 0);
}

TEST_F(FaultyConnectionTest, the_answer_of_a_commit_is_lost_both_ways) {
  for (const bool happens : {false, true}) {
    connection->begin();
    connection->run(add_row);
    plan->lose_commit(1, happens);
    EXPECT_EQ(connection->commit(), Committed::in_doubt);
    EXPECT_TRUE(connection->broken());
    connection->reconnect();
    EXPECT_EQ(rows(), happens ? 1 : 0);
  }
}

TEST_F(FaultyConnectionTest, a_refused_commit_answers_no) {
  connection->begin();
  connection->run(add_row);
  plan->add({.code = Code::storage_full, .only = "commit"});
  EXPECT_EQ(connection->commit(), Committed::no);
  EXPECT_FALSE(connection->in_transaction());
  EXPECT_EQ(rows(), 0);
}

TEST_F(FaultyConnectionTest, a_database_that_is_away_cannot_be_reached) {
  plan->go_away();
  EXPECT_EQ(code_thrown_by([&] { connection->run(add_row); }), Code::disconnected);
  EXPECT_EQ(code_thrown_by([&] { connection->reconnect(); }), Code::disconnected);
  EXPECT_EQ(code_thrown_by([&] { static_cast<void>(faulty.connect(Lane::normal)); }),
            Code::disconnected);
  plan->heal();
  connection->reconnect();
  EXPECT_EQ(connection->run(add_row), 1);
}

TEST_F(FaultyConnectionTest, a_session_that_is_borrowed_fails_as_planned) {
  FaultySession session(*connection, plan);
  plan->add({.code = Code::restart});
  EXPECT_EQ(code_thrown_by([&] { session.run(add_row); }), Code::restart);
  EXPECT_EQ(session.run(add_row), 1);
}

}  // namespace
}  // namespace holdfast::test
