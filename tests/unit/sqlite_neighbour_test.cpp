#include <gtest/gtest.h>
#include <sqlite3.h>

#include <filesystem>
#include <functional>
#include <string>
#include <thread>

#include "db/sqlite_checkpoint.hpp"
#include "db/sqlite_database.hpp"
#include "db/sqlite_wal_index.hpp"
#include "support/manual_clock.hpp"
#include "support/temporary_directory.hpp"

/// Holdfast and the application in one file.
namespace holdfast::db {
namespace {

using namespace std::chrono_literals;

/// The application: an ordinary connection.
class Application {
 public:
  explicit Application(const std::string& path) {
    EXPECT_EQ(sqlite3_open(path.c_str(), &db_), SQLITE_OK);
    sqlite3_busy_timeout(db_, 5000);
  }
  ~Application() { sqlite3_close(db_); }
  Application(const Application&) = delete;
  Application& operator=(const Application&) = delete;

  void run(const char* sql) { EXPECT_EQ(sqlite3_exec(db_, sql, nullptr, nullptr, nullptr), 0); }
  [[nodiscard]] ::sqlite3* db() const { return db_; }

 private:
  ::sqlite3* db_ = nullptr;
};

bool eventually(const std::function<bool()>& holds) {
  const auto give_up = std::chrono::steady_clock::now() + 30s;
  while (!holds()) {
    if (std::chrono::steady_clock::now() > give_up) return false;
    std::this_thread::sleep_for(1ms);
  }
  return true;
}

class SqliteNeighbour : public ::testing::Test {
 protected:
  SqliteNeighbour() { ours->script("create table t (a)"); }

  /// A commit of about so many pages.
  static void write(Connection& connection, int pages) {
    Transaction transaction(connection);
    for (int page = 0; page < pages; ++page) {
      connection.execute("insert into t values (zeroblob(3500))");
    }
    transaction.commit_or_throw();
  }

  [[nodiscard]] std::uintmax_t log_bytes() const {
    return std::filesystem::file_size(path + "-wal");
  }

  const test::TemporaryDirectory directory;
  const std::string path = directory / "a.db";
  const test::ManualClock clock;
  const std::shared_ptr<Database> database = open_sqlite(path, Durability::full, clock, 10s);
  const std::unique_ptr<Connection> ours = database->connect(Lane::normal);
};

TEST_F(SqliteNeighbour, commits_of_everybody_are_counted_and_nothing_else) {
  Application application(path);
  application.run("insert into t values (1)");
  const auto before = commits_counted(application.db());
  ASSERT_TRUE(before.has_value());
  write(*ours, 1);
  ours->begin();
  ours->rollback();
  application.run("select * from t; begin immediate; rollback");
  EXPECT_EQ(commits_counted(application.db()), *before + 1);
}

TEST_F(SqliteNeighbour, an_application_that_writes_is_seen) {
  Application application(path);
  EXPECT_TRUE(eventually([&] {
    application.run("insert into t values (1)");
    write(*ours, 1);
    return ours->others().busy;
  }));
}

// Their commits change `pragma data_version` of one another all the same.
TEST_F(SqliteNeighbour, connections_of_one_process_are_no_neighbours) {
  const auto keeper = database->connect(Lane::keeper);
  EXPECT_TRUE(eventually([&] {
    write(*keeper, 1);
    write(*ours, 1);
    return !ours->others().busy;
  }));
}

TEST_F(SqliteNeighbour, a_wait_for_the_application_is_told) {
  Application application(path);
  application.run("begin immediate");
  std::jthread commit([&] {
    std::this_thread::sleep_for(20ms);
    application.run("commit");
  });
  write(*ours, 1);
  EXPECT_GT(ours->others().waited, Duration{});
  commit.join();
  write(*ours, 1);
  EXPECT_EQ(ours->others().waited, Duration{});
}

TEST_F(SqliteNeighbour, the_log_is_copied_back_before_an_application_would_have_to) {
  Application application(path);
  for (int commit = 0; commit < 60; ++commit) write(*ours, 100);
  constexpr std::uintmax_t frame = 4096 + 24;
  EXPECT_LT(log_bytes(), (SqliteCheckpoint::pages_max + 300) * frame);
}

TEST_F(SqliteNeighbour, a_log_that_a_reader_made_grow_shrinks_after_the_reader) {
  constexpr std::uintmax_t usual = 16 * 1024 * 1024;
  Application reader(path);
  reader.run("begin; select count(*) from t");
  while (log_bytes() < usual + usual / 4) write(*ours, 500);
  reader.run("commit");
  EXPECT_TRUE(eventually([&] {
    write(*ours, 1);
    return log_bytes() <= usual;
  }));
}

}  // namespace
}  // namespace holdfast::db
