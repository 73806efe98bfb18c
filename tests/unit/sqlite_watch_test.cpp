#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "base/bell.hpp"
#include "db/sqlite_database.hpp"
#include "support/temporary_directory.hpp"

namespace holdfast::db {
namespace {

using namespace std::chrono_literals;

class SqliteWatch : public ::testing::Test {
 protected:
  SqliteWatch() { theirs->execute("create table notes (body text)"); }

  /// Listens as a worker does. False when there is no news for so long.
  [[nodiscard]] bool hears_within(std::chrono::milliseconds limit) {
    const auto give_up = std::chrono::steady_clock::now() + limit;
    while (true) {
      const Watch::Heard heard = watch->listen();
      if (heard.news > 0) return true;
      const auto now = std::chrono::steady_clock::now();
      if (now > give_up) return false;
      const auto again = heard.ask_again > Duration::zero() ? now + heard.ask_again : give_up;
      base::wait_readable(watch->descriptor(), -1, std::min(again, give_up + 1ms));
    }
  }
  [[nodiscard]] bool hears() { return hears_within(30s); }

  test::TemporaryDirectory directory;
  std::string path = directory / "queue.db";
  std::shared_ptr<Database> database =
      open_sqlite(path, Durability::full, holdfast::system_clock());
  std::unique_ptr<Connection> ours = database->connect(Lane::normal);
  std::unique_ptr<Connection> theirs = database->connect(Lane::normal);
  std::unique_ptr<Watch> watch = database->watch(*ours, nullptr);
};

TEST_F(SqliteWatch, hears_what_another_connection_commits) {
  for (int round = 0; round < 20; ++round) {
    theirs->execute("insert into notes values ('x')");
    EXPECT_TRUE(hears());
  }
}

TEST_F(SqliteWatch, hears_a_commit_only_once_it_can_be_seen) {
  Transaction transaction(*theirs);
  theirs->execute("insert into notes values ('x')");
  (void)hears_within(50ms);  // of the table
  EXPECT_FALSE(hears_within(100ms));
  transaction.commit_or_throw();
  EXPECT_TRUE(hears());
}

TEST_F(SqliteWatch, does_not_hear_what_its_own_connection_commits) {
  ASSERT_TRUE(hears());
  ours->execute("insert into notes values ('x')");
  EXPECT_FALSE(hears_within(200ms));
}

TEST_F(SqliteWatch, goes_on_when_the_log_was_emptied) {
  ASSERT_TRUE(hears());
  theirs->execute("pragma wal_checkpoint(truncate)");
  (void)hears_within(100ms);
  theirs->execute("insert into notes values ('x')");
  EXPECT_TRUE(hears());
}

/// What touches the log, as far as can be told before anything is committed.
TEST_F(SqliteWatch, follows_a_log_that_was_removed_and_made_again) {
  const std::string log = path + "-wal";
  (void)hears_within(3s);
  std::filesystem::rename(log, log + ".aside");
  std::ofstream(log) << "another";
  (void)hears_within(3s);
  ASSERT_EQ(watch->listen().ask_again, Duration::zero());  // it has come to rest
  std::ofstream(log, std::ios::app) << "more";
  EXPECT_GT(watch->listen().ask_again, Duration::zero());
  std::filesystem::rename(log + ".aside", log);
  (void)watch->listen();
  theirs->execute("insert into notes values ('x')");
  EXPECT_TRUE(hears());
}

TEST_F(SqliteWatch, follows_a_log_that_is_not_there_yet) {
  const std::string log = path + "-wal";
  std::filesystem::rename(log, log + ".aside");
  const auto early = database->watch(*ours, nullptr);
  std::filesystem::rename(log + ".aside", log);
  theirs->execute("insert into notes values ('x')");
  EXPECT_GT(early->listen().ask_again, Duration::zero());
}

TEST(SqliteWatchInMemory, is_not_there) {
  const auto database = open_sqlite(":memory:", Durability::full, holdfast::system_clock());
  const auto connection = database->connect(Lane::normal);
  EXPECT_EQ(database->watch(*connection, nullptr), nullptr);
}

}  // namespace
}  // namespace holdfast::db
