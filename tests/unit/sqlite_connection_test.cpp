#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "db/sqlite_database.hpp"
#include "support/child.hpp"
#include "support/manual_clock.hpp"
#include "support/temporary_directory.hpp"
#include "support/thrown.hpp"

namespace holdfast::db {
namespace {

using namespace std::chrono_literals;
using test::code_thrown_by;

std::int64_t read(Session& session, std::string_view sql) {
  std::int64_t number = -1;
  session.execute(sql, {}, [&](const Row& row) { number = row.integer(0); });
  return number;
}

/// Adds one, by reading first: a lost update shows in the sum.
void increment(Connection& connection) {
  Transaction transaction(connection);
  const std::int64_t next = read(connection, "select n from counter") + 1;
  connection.execute("update counter set n = $1", {next});
  transaction.commit_or_throw();
}

void increment_often(const std::shared_ptr<Database>& database, int times) {
  const auto connection = database->connect(Lane::normal);
  for (int turn = 0; turn < times; ++turn) increment(*connection);
}

/// Every test runs on a file and in memory.
class SqliteConnectionTest : public ::testing::TestWithParam<bool> {
 protected:
  SqliteConnectionTest() {
    connection->script("create table counter (n integer) strict; insert into counter values (0)");
  }

  [[nodiscard]] std::int64_t counter() const { return read(*connection, "select n from counter"); }

  const test::TemporaryDirectory directory;
  const std::string path = GetParam() ? ":memory:" : directory / "a.db";
  const test::ManualClock clock;
  const std::shared_ptr<Database> database = open_sqlite(path, Durability::full, clock, 10s);
  const std::unique_ptr<Connection> connection = database->connect(Lane::normal);
};

INSTANTIATE_TEST_SUITE_P(Sqlite, SqliteConnectionTest, ::testing::Values(false, true),
                         [](const auto& in_memory) {
                           return std::string(in_memory.param ? "in_memory" : "on_file");
                         });

TEST_P(SqliteConnectionTest, connections_see_what_others_committed) {
  const auto other = database->connect(Lane::keeper);
  increment(*other);
  EXPECT_EQ(counter(), 1);
}

TEST_P(SqliteConnectionTest, rolls_back_unless_committed) {
  {
    const Transaction transaction(*connection);
    EXPECT_TRUE(connection->in_transaction());
    connection->execute("update counter set n = 5");
  }
  EXPECT_FALSE(connection->in_transaction());
  EXPECT_EQ(counter(), 0);
}

TEST_P(SqliteConnectionTest, writers_of_one_process_take_turns) {
  {
    std::vector<std::jthread> writers;
    for (int writer = 0; writer < 4; ++writer) {
      writers.emplace_back([this] { increment_often(database, 50); });
    }
  }
  EXPECT_EQ(counter(), 200);
}

TEST_P(SqliteConnectionTest, a_reader_does_not_disturb_writers) {
  std::jthread reader([this](const std::stop_token& stop) {
    const auto own = database->connect(Lane::normal);
    while (!stop.stop_requested()) EXPECT_GE(read(*own, "select n from counter"), 0);
  });
  increment_often(database, 50);
  reader.request_stop();
  reader.join();
  EXPECT_EQ(counter(), 50);
}

TEST_P(SqliteConnectionTest, a_transaction_that_sqlite_ended_refuses_more_and_commits_nothing) {
  connection->script("create table one (id integer primary key); insert into one values (1)");
  connection->begin();
  connection->execute("update counter set n = 5");
  EXPECT_EQ(code_thrown_by([&] { connection->execute("insert or rollback into one values (1)"); }),
            Code::constraint);
  EXPECT_EQ(code_thrown_by([&] { connection->execute("update counter set n = 6"); }),
            Code::restart);
  EXPECT_EQ(connection->commit(), Committed::no);
  EXPECT_EQ(counter(), 0);
  increment(*connection);
  EXPECT_EQ(counter(), 1);
}

TEST_P(SqliteConnectionTest, sql_that_ends_the_transaction_is_misuse) {
  connection->begin();
  EXPECT_EQ(code_thrown_by([&] { connection->execute("rollback"); }), Code::misuse);
  connection->rollback();
  increment(*connection);
  EXPECT_EQ(counter(), 1);
}

TEST_P(SqliteConnectionTest, begin_twice_and_commit_without_are_misuse) {
  EXPECT_EQ(code_thrown_by([&] { static_cast<void>(connection->commit()); }), Code::misuse);
  connection->begin();
  EXPECT_EQ(code_thrown_by([&] { connection->begin(); }), Code::misuse);
  EXPECT_EQ(connection->commit(), Committed::yes);
}

TEST_P(SqliteConnectionTest, a_connection_that_goes_lets_the_next_writer_in) {
  database->connect(Lane::normal)->begin();
  increment(*connection);
  EXPECT_EQ(counter(), 1);
}

TEST_P(SqliteConnectionTest, reconnect_ends_the_transaction_and_goes_on) {
  connection->begin();
  connection->execute("update counter set n = 5");
  connection->reconnect();
  EXPECT_FALSE(connection->in_transaction());
  EXPECT_FALSE(connection->broken());
  EXPECT_EQ(counter(), 0);
}

TEST_P(SqliteConnectionTest, a_forked_child_is_refused_and_the_parent_goes_on) {
  connection->begin();
  connection->execute("update counter set n = 5");
  EXPECT_TRUE(test::in_child([this] {
    const auto refused = [](auto call) { return code_thrown_by(call) == Code::forked; };
    return refused([this] { connection->execute("select 1"); }) &&
           refused([this] { connection->begin(); }) &&
           refused([this] { static_cast<void>(connection->commit()); }) &&
           refused([this] { connection->reconnect(); }) &&
           refused([this] { static_cast<void>(database->connect(Lane::normal)); });
  }));
  EXPECT_EQ(connection->commit(), Committed::yes);
  EXPECT_EQ(counter(), 5);
}

TEST_P(SqliteConnectionTest, a_child_that_destroys_its_copy_takes_no_locks_from_the_parent) {
  auto writing = database->connect(Lane::normal);
  writing->begin();
  writing->execute("update counter set n = 5");
  EXPECT_TRUE(test::in_child([&] {
    writing.reset();
    return true;
  }));
  EXPECT_EQ(writing->commit(), Committed::yes);
  EXPECT_EQ(counter(), 5);
}

TEST(SqliteConnection, tells_how_far_the_wall_clock_jumped) {
  test::ManualClock clock;
  const auto connection = open_sqlite(":memory:", Durability::full, clock)->connect(Lane::normal);
  clock.advance(1h);
  EXPECT_EQ(connection->sync_clock(), 0s);
  clock.jump(-90s);
  clock.advance(1s);
  EXPECT_EQ(connection->sync_clock(), -90s);
  EXPECT_EQ(connection->sync_clock(), 0s);
  EXPECT_EQ(connection->now(), clock.now());
}

TEST(SqliteConnection, waits_for_other_writers_of_the_file_up_to_the_limit) {
  const test::TemporaryDirectory directory;
  const auto holder =
      open_sqlite(directory / "a.db", Durability::full, system_clock())->connect(Lane::normal);
  holder->script("create table counter (n integer); insert into counter values (0)");
  holder->begin();
  const auto hasty = open_sqlite(directory / "a.db", Durability::full, system_clock(), 20ms);
  const auto error = test::thrown_by([&] { hasty->connect(Lane::normal)->begin(); });
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->code(), Code::busy);
  EXPECT_EQ(std::string(error->what()),
            "another writer held the database too long; try again (database is locked)");
  holder->rollback();
  increment_often(hasty, 1);
}

TEST(SqliteConnection, writers_of_several_processes_take_turns) {
  const test::TemporaryDirectory directory;
  const std::string path = directory / "a.db";
  ASSERT_TRUE(test::in_child([&] {
    open_sqlite(path, Durability::relaxed, system_clock())
        ->connect(Lane::normal)
        ->script("create table counter (n integer); insert into counter values (0)");
    return true;
  }));
  std::vector<pid_t> children;
  for (int child = 0; child < 3; ++child) {
    children.push_back(test::start_child([&] {
      increment_often(open_sqlite(path, Durability::relaxed, system_clock()), 100);
      return true;
    }));
  }
  for (const pid_t child : children) EXPECT_TRUE(test::child_succeeded(child));
  const auto database = open_sqlite(path, Durability::full, system_clock());
  EXPECT_EQ(read(*database->connect(Lane::normal), "select n from counter"), 300);
}

/// A commit that cannot be written: files must not grow any more.
bool commit_is_in_doubt_when_writing_fails(const std::string& path) {
  const auto database = open_sqlite(path, Durability::full, system_clock());
  const auto connection = database->connect(Lane::normal);
  connection->script("create table text (body text)");
  connection->begin();
  connection->execute("insert into text values ($1)", {std::string(100'000, 'x')});
  ::signal(SIGXFSZ, SIG_IGN);
  const ::rlimit now{std::filesystem::file_size(path + "-wal"), RLIM_INFINITY};
  const ::rlimit later{RLIM_INFINITY, RLIM_INFINITY};
  if (::setrlimit(RLIMIT_FSIZE, &now) != 0) return false;
  const Committed answer = connection->commit();
  if (::setrlimit(RLIMIT_FSIZE, &later) != 0) return false;
  const bool refused =
      code_thrown_by([&] { connection->execute("select 1"); }) == Code::disconnected;
  const bool broken = connection->broken();
  connection->reconnect();
  const auto rows = read(*connection, "select count(*) from text");
  return answer == Committed::in_doubt && broken && refused && !connection->broken() && rows == 0;
}

TEST(SqliteConnection, a_commit_that_fails_while_writing_is_in_doubt) {
  const test::TemporaryDirectory directory;
  EXPECT_TRUE(
      test::in_child([&] { return commit_is_in_doubt_when_writing_fails(directory / "a.db"); }));
}

TEST(SqliteConnection, reconnect_never_makes_a_new_file) {
  const test::TemporaryDirectory directory;
  const auto connection =
      open_sqlite(directory / "a.db", Durability::full, system_clock())->connect(Lane::normal);
  for (const auto& file : std::filesystem::directory_iterator(directory.path())) {
    std::filesystem::remove(file);
  }
  EXPECT_EQ(code_thrown_by([&] { connection->reconnect(); }), Code::disconnected);
  EXPECT_TRUE(connection->broken());
  EXPECT_EQ(code_thrown_by([&] { connection->execute("select 1"); }), Code::disconnected);
  EXPECT_FALSE(std::filesystem::exists(directory / "a.db"));
}

}  // namespace
}  // namespace holdfast::db
