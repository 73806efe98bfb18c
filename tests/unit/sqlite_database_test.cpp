#include "db/sqlite_database.hpp"

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "holdfast/clock.hpp"
#include "support/child.hpp"
#include "support/temporary_directory.hpp"
#include "support/thrown.hpp"

namespace holdfast::db {
namespace {

using test::code_thrown_by;
using test::thrown_by;

std::shared_ptr<Database> open(const std::string& path) {
  return open_sqlite(path, Durability::full, system_clock());
}

mode_t mode_of(const std::string& path) {
  struct ::stat status {};
  EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
  return status.st_mode & 0777;
}

std::string text(Session& session, std::string_view sql) {
  std::string answer;
  session.execute(sql, {}, [&](const Row& row) { answer = row.text(0); });
  return answer;
}

std::int64_t number(Session& session, std::string_view sql) {
  std::int64_t answer = -1;
  session.execute(sql, {}, [&](const Row& row) { answer = row.integer(0); });
  return answer;
}

TEST(SqliteDatabase, a_new_file_is_private_whatever_the_umask) {
  const test::TemporaryDirectory directory;
  const mode_t before = ::umask(0);
  const auto connection = open(directory / "a.db")->connect(Lane::normal);
  connection->script("create table t (id integer)");
  ::umask(before);
  EXPECT_EQ(mode_of(directory / "a.db"), 0600U);
  EXPECT_EQ(mode_of(directory / "a.db-wal"), 0600U);
}

TEST(SqliteDatabase, the_mode_of_a_file_that_is_there_stays) {
  const test::TemporaryDirectory directory;
  std::ofstream(directory / "a.db").close();
  ASSERT_EQ(::chmod((directory / "a.db").c_str(), 0640), 0);
  static_cast<void>(open(directory / "a.db"));
  EXPECT_EQ(mode_of(directory / "a.db"), 0640U);
}

TEST(SqliteDatabase, connections_are_durable) {
  const test::TemporaryDirectory directory;
  const auto full = open(directory / "a.db")->connect(Lane::normal);
  EXPECT_EQ(text(*full, "pragma journal_mode"), "wal");
  EXPECT_EQ(number(*full, "pragma synchronous"), 2);
  const auto relaxed = open_sqlite(directory / "a.db", Durability::relaxed, system_clock());
  EXPECT_EQ(number(*relaxed->connect(Lane::normal), "pragma synchronous"), 1);
}

TEST(SqliteDatabase, names_the_file) {
  const test::TemporaryDirectory directory;
  EXPECT_EQ(open(directory / "a.db")->name(), directory / "a.db");
  EXPECT_EQ(open(":memory:")->name(), ":memory:");
  EXPECT_EQ(open(":memory:")->dialect(), Dialect::sqlite);
}

TEST(SqliteDatabase, databases_in_memory_do_not_meet) {
  const auto first = open(":memory:");
  first->connect(Lane::normal)->script("create table t (id integer)");
  EXPECT_EQ(number(*first->connect(Lane::normal), "select count(*) from t"), 0);
  const auto second = open(":memory:")->connect(Lane::normal);
  EXPECT_EQ(code_thrown_by([&] { second->execute("select * from t"); }), Code::schema);
}

TEST(SqliteDatabase, refuses_a_file_that_is_no_database) {
  const test::TemporaryDirectory directory;
  std::ofstream(directory / "notes.txt") << std::string(5000, 'x');
  const auto error = thrown_by([&] { static_cast<void>(open(directory / "notes.txt")); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), Code::schema);
  EXPECT_EQ(error->what(), directory / "notes.txt" + " is not a SQLite database");
}

TEST(SqliteDatabase, refuses_paths_that_are_none) {
  const auto code = [](const std::string& path) {
    return code_thrown_by([&] { static_cast<void>(open(path)); });
  };
  EXPECT_EQ(code(""), Code::invalid);
  EXPECT_EQ(code("file:a.db?mode=ro"), Code::invalid);
  EXPECT_EQ(code(std::string("a\0b", 3)), Code::invalid);
  EXPECT_EQ(code("/nonexistent/a.db"), Code::storage);
  EXPECT_EQ(code("/tmp"), Code::storage);
}

TEST(SqliteDatabase, refuses_a_file_that_it_may_not_write) {
  const test::TemporaryDirectory directory;
  static_cast<void>(open(directory / "a.db"));
  ASSERT_EQ(::chmod((directory / "a.db").c_str(), 0444), 0);
  ASSERT_EQ(::chmod(directory.path().c_str(), 0755), 0);
  EXPECT_TRUE(test::in_child([&] {
    // Permissions do not bind root.
    constexpr uid_t nobody = 65534;
    if (::geteuid() == 0 && ::setuid(nobody) != 0) return false;
    return code_thrown_by([&] { static_cast<void>(open(directory / "a.db")); }) == Code::read_only;
  }));
}

TEST(SqliteDatabase, many_processes_may_make_the_same_file) {
  const test::TemporaryDirectory directory;
  std::vector<pid_t> children;
  for (int child = 0; child < 8; ++child) {
    children.push_back(test::start_child([&] {
      open(directory / "a.db")->connect(Lane::normal)->script("create table if not exists t (id)");
      return true;
    }));
  }
  for (const pid_t child : children) EXPECT_TRUE(test::child_succeeded(child));
}

TEST(SqliteDatabase, a_relative_path_stays_where_it_was) {
  const test::TemporaryDirectory directory;
  EXPECT_TRUE(test::in_child([&] {
    std::filesystem::current_path(directory.path());
    const auto database = open("a.db");
    database->connect(Lane::normal)->script("create table t (id integer)");
    std::filesystem::current_path("/");
    return number(*database->connect(Lane::normal), "select count(*) from t") == 0;
  }));
}

/// A handle of the application's own, with the pragmas it likes.
class Borrowed {
 public:
  Borrowed(const std::string& path, const char* pragmas) {
    EXPECT_EQ(sqlite3_open(path.c_str(), &db_), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(db_, pragmas, nullptr, nullptr, nullptr), SQLITE_OK);
  }
  ~Borrowed() { sqlite3_close_v2(db_); }
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;

  [[nodiscard]] std::string refusal(Durability wanted) const {
    const auto error = thrown_by([&] { check_durability(db_, wanted); });
    if (!error) return "";
    EXPECT_EQ(error->code(), Code::durability);
    return error->what();
  }

 private:
  ::sqlite3* db_ = nullptr;
};

TEST(CheckDurability, tells_which_pragma_mends_a_borrowed_handle) {
  const test::TemporaryDirectory directory;
  const Borrowed normal(directory / "a.db", "pragma journal_mode=wal; pragma synchronous=normal");
  EXPECT_NE(normal.refusal(Durability::full).find("PRAGMA synchronous=FULL"), std::string::npos);
  EXPECT_EQ(normal.refusal(Durability::relaxed), "");
  const Borrowed journal(directory / "b.db", "pragma journal_mode=delete");
  EXPECT_NE(journal.refusal(Durability::full).find("PRAGMA journal_mode=WAL"), std::string::npos);
  const Borrowed unsafe(directory / "c.db", "pragma journal_mode=memory");
  EXPECT_NE(unsafe.refusal(Durability::full), "") << "a journal in memory is not durable";
}

TEST(CheckDurability, passes_durable_handles_and_memory) {
  const test::TemporaryDirectory directory;
  const Borrowed full(directory / "a.db", "pragma journal_mode=wal; pragma synchronous=full");
  EXPECT_EQ(full.refusal(Durability::full), "");
  const Borrowed fresh(directory / "a.db", "pragma synchronous=full");
  EXPECT_EQ(fresh.refusal(Durability::full), "") << "WAL is a property of the file";
  EXPECT_EQ(Borrowed(":memory:", "").refusal(Durability::full), "");
  EXPECT_EQ(Borrowed("", "").refusal(Durability::full), "");
}

}  // namespace
}  // namespace holdfast::db
