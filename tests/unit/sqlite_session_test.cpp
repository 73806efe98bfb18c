#include "db/sqlite_session.hpp"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <memory>
#include <string>

#include "support/child.hpp"
#include "support/temporary_directory.hpp"
#include "support/thrown.hpp"

namespace holdfast::db {
namespace {

using test::code_thrown_by;
using test::thrown_by;

/// A handle of the application's own.
class Handle {
 public:
  explicit Handle(const std::string& path = ":memory:",
                  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE) {
    EXPECT_EQ(sqlite3_open_v2(path.c_str(), &db_, flags, nullptr), SQLITE_OK);
  }
  ~Handle() { sqlite3_close_v2(db_); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  [[nodiscard]] ::sqlite3* get() const { return db_; }

 private:
  ::sqlite3* db_ = nullptr;
};

constexpr std::string_view tables = R"sql(
  create table item (
    id integer primary key,
    level integer not null default 5
      constraint "level is 0 (first) to 9 (last)" check (level between 0 and 9),
    name text unique,
    weight real
  ) strict;
  create table gone (id integer primary key, name text) strict;
  create view shown as select id, name from item;
  create trigger shown_insert instead of insert on shown begin
    insert into item (id, name) values (new.id, new.name);
  end;
)sql";

const Statement insert{"insert", "insert into item (id, level, name) values ($1, $2, $3)"};
const Statement keep{"keep", "insert into item (id) values ($1) on conflict do nothing"};
const Statement move_out{"move_out",
                         "insert into gone (id, name) select id, $1 from item where id = $2",
                         "delete from item where id = $2"};
const Statement all{"all", "select id, level, name, weight from item order by id"};
const Statement count_gone{"count_gone", "select count(*) from gone"};

class SqliteSessionTest : public ::testing::Test {
 protected:
  SqliteSessionTest() { session.script(tables); }

  std::int64_t count(const Statement& statement) {
    std::int64_t number = -1;
    session.run(statement, {}, [&](const Row& row) { number = row.integer(0); });
    return number;
  }

  Handle handle;
  SqliteSession session{handle.get()};
};

TEST_F(SqliteSessionTest, binds_every_type_by_name) {
  session.execute("insert into item (weight, name, level, id) values ($4, $3, $2, $1)",
                  {std::int64_t{7}, std::int64_t{2}, std::string_view(), 1.5});
  int rows = 0;
  const auto read = session.run(all, {}, [&](const Row& row) {
    ++rows;
    EXPECT_EQ(row.columns(), 4);
    EXPECT_EQ(row.integer(0), 7);
    EXPECT_EQ(row.integer(1), 2);
    EXPECT_FALSE(row.is_null(2)) << "an empty text is not null";
    EXPECT_EQ(row.text(2), "");
    EXPECT_EQ(row.real(3), 1.5);
  });
  EXPECT_EQ(read, 1);
  EXPECT_EQ(rows, 1);
}

TEST_F(SqliteSessionTest, counts_rows_changed_by_this_statement_alone) {
  EXPECT_EQ(session.run(keep, {std::int64_t{1}}), 1);
  EXPECT_EQ(session.run(keep, {std::int64_t{1}}), 0);
  EXPECT_EQ(session.execute("create table later (id integer)"), 0);
  EXPECT_EQ(session.execute("update item set level = 3"), 1);
  EXPECT_EQ(session.execute("update item set level = 3 where id = 99"), 0);
  EXPECT_EQ(session.execute("update item set level = 4 returning id"), 1);
  EXPECT_EQ(session.execute("insert into shown (id, name) values (5, 'five')"), 1);
}

TEST_F(SqliteSessionTest, a_result_with_no_rows_is_zero_rows) {
  EXPECT_EQ(session.run(all, {}, [](const Row&) { FAIL(); }), 0);
}

TEST_F(SqliteSessionTest, run_many_adds_up) {
  Batch batch({Column::integer, Column::integer, Column::text});
  batch.add({std::int64_t{1}, std::int64_t{1}, "a"});
  batch.add({std::int64_t{2}, std::int64_t{2}, null});
  EXPECT_EQ(session.run_many(insert, batch, {}), 2);
  EXPECT_EQ(session.run_many(insert, Batch({Column::integer}), {}), 0);
  EXPECT_EQ(session.run(all), 2);
}

TEST_F(SqliteSessionTest, second_part_runs_only_if_the_first_changed_a_row) {
  session.run(keep, {std::int64_t{1}});
  session.execute("begin");
  EXPECT_EQ(session.run(move_out, {"nobody", std::int64_t{2}}), 0);
  EXPECT_EQ(session.run(all), 1);
  EXPECT_EQ(session.run(move_out, {"old", std::int64_t{1}}), 1);
  session.execute("commit");
  EXPECT_EQ(session.run(all), 0);
  EXPECT_EQ(count(count_gone), 1);
}

TEST_F(SqliteSessionTest, two_parts_need_a_transaction) {
  session.run(keep, {std::int64_t{1}});
  const auto move = [&] { session.run(move_out, {"old", std::int64_t{1}}); };
  EXPECT_EQ(code_thrown_by(move), Code::misuse);
  EXPECT_EQ(count(count_gone), 0);
}

TEST_F(SqliteSessionTest, wrong_number_of_parameters_is_misuse) {
  EXPECT_EQ(code_thrown_by([&] { session.run(keep); }), Code::misuse);
  EXPECT_EQ(code_thrown_by([&] { session.run(keep, {std::int64_t{1}, "extra"}); }), Code::misuse);
  EXPECT_EQ(code_thrown_by([&] { session.execute("select $2", {"only one"}); }), Code::misuse);
  EXPECT_EQ(code_thrown_by([&] { session.execute("select ?", {"nameless"}); }), Code::misuse);
  EXPECT_EQ(code_thrown_by([&] { session.execute("select $x", {"named"}); }), Code::misuse);
}

TEST_F(SqliteSessionTest, execute_runs_exactly_one_statement) {
  EXPECT_EQ(code_thrown_by([&] { session.execute("select 1; select 2"); }), Code::misuse);
  EXPECT_EQ(code_thrown_by([&] { session.execute(" -- nothing\n"); }), Code::misuse);
  EXPECT_EQ(session.execute("select 1; -- and no more\n"), 1);
}

TEST_F(SqliteSessionTest, a_column_read_as_another_type_throws) {
  session.execute("insert into item (id, name) values (1, 'one')");
  const auto read_as = [&](auto read) {
    return code_thrown_by([&] { session.run(all, {}, read); });
  };
  EXPECT_EQ(read_as([](const Row& row) { static_cast<void>(row.integer(2)); }), Code::internal);
  EXPECT_EQ(read_as([](const Row& row) { static_cast<void>(row.text(0)); }), Code::internal);
  EXPECT_EQ(read_as([](const Row& row) { static_cast<void>(row.real(3)); }), Code::internal);
  EXPECT_EQ(read_as([](const Row& row) { static_cast<void>(row.text(4)); }), Code::internal);
  EXPECT_EQ(read_as([](const Row& row) { EXPECT_EQ(row.real(0), 1.0); }), std::nullopt);
}

TEST_F(SqliteSessionTest, a_sink_that_throws_leaves_the_statement_usable) {
  session.run(keep, {std::int64_t{1}});
  session.run(keep, {std::int64_t{2}});
  EXPECT_THROW(session.run(all, {}, [](const Row&) { throw std::runtime_error("enough"); }),
               std::runtime_error);
  EXPECT_EQ(session.run(all), 2);
  for (auto* open = sqlite3_next_stmt(handle.get(), nullptr); open != nullptr;
       open = sqlite3_next_stmt(handle.get(), open)) {
    EXPECT_EQ(sqlite3_stmt_busy(open), 0) << sqlite3_sql(open);
  }
}

TEST_F(SqliteSessionTest, a_sink_may_run_other_statements_but_not_its_own) {
  session.run(keep, {std::int64_t{1}});
  session.run(all, {}, [&](const Row&) { EXPECT_EQ(count(count_gone), 0); });
  EXPECT_EQ(code_thrown_by([&] { session.run(all, {}, [&](const Row&) { session.run(all); }); }),
            Code::misuse);
}

TEST_F(SqliteSessionTest, a_refused_value_names_the_rule) {
  const auto check = thrown_by([&] {
    session.run(insert, {std::int64_t{1}, std::int64_t{10}, "x"});
  });
  ASSERT_TRUE(check);
  EXPECT_EQ(check->code(), Code::constraint);
  EXPECT_STREQ(check->what(), "level is 0 (first) to 9 (last)");
  EXPECT_EQ(check->statement(), "insert");

  const auto type = thrown_by([&] { session.run(insert, {std::int64_t{1}, "high", "x"}); });
  ASSERT_TRUE(type);
  EXPECT_EQ(type->code(), Code::constraint);
  EXPECT_STREQ(type->what(), "cannot store TEXT value in INTEGER column item.level");
}

TEST_F(SqliteSessionTest, a_trigger_speaks_in_its_own_words) {
  session.script(
      "create trigger lost before insert on gone begin select raise(abort, 'lease lost'); end");
  const auto error = thrown_by([&] { session.execute("insert into gone (id) values (1)"); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), Code::constraint);
  EXPECT_STREQ(error->what(), "lease lost");
}

TEST_F(SqliteSessionTest, a_missing_table_says_what_to_run) {
  const Statement jobs{"find_job", "select id from holdfast_jobs"};
  const auto error = thrown_by([&] { session.run(jobs); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), Code::schema);
  EXPECT_NE(std::string(error->what()).find("run `holdfast init`"), std::string::npos);
  EXPECT_EQ(error->statement(), "find_job");
}

TEST_F(SqliteSessionTest, a_statement_that_is_interrupted_is_no_empty_answer) {
  session.run(keep, {std::int64_t{1}});
  session.run(keep, {std::int64_t{2}});
  EXPECT_EQ(code_thrown_by([&] {
              session.run(all, {}, [&](const Row&) { sqlite3_interrupt(handle.get()); });
            }),
            Code::storage);
}

TEST_F(SqliteSessionTest, bad_sql_of_the_callers_own_is_misuse) {
  EXPECT_EQ(code_thrown_by([&] { session.execute("selec 1"); }), Code::misuse);
}

TEST_F(SqliteSessionTest, a_database_that_is_full_says_so) {
  session.execute("pragma max_page_count = 8");
  const std::string large(1 << 20, 'x');
  const auto error =
      thrown_by([&] { session.execute("insert into gone (id, name) values (1, $1)", {large}); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), Code::storage_full);
}

TEST(SqliteSession, an_old_snapshot_means_restart) {
  const test::TemporaryDirectory directory;
  const Handle reader(directory / "a.db");
  SqliteSession reading(reader.get());
  reading.execute("pragma journal_mode = wal");
  reading.script("create table t (id integer); begin; select * from t");
  const Handle writer(directory / "a.db");
  SqliteSession(writer.get()).execute("insert into t values (1)");
  const auto error = thrown_by([&] { reading.execute("insert into t values (2)"); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), Code::restart);
}

TEST(SqliteSession, another_writer_means_busy) {
  const test::TemporaryDirectory directory;
  const Handle first(directory / "a.db");
  SqliteSession holder(first.get());
  holder.script("create table t (id integer); begin immediate");
  const Handle second(directory / "a.db");
  SqliteSession waiting(second.get());
  EXPECT_EQ(code_thrown_by([&] { waiting.execute("insert into t values (2)"); }), Code::busy);
}

TEST(SqliteSession, a_handle_for_reading_cannot_write) {
  const test::TemporaryDirectory directory;
  const Handle writer(directory / "a.db");
  SqliteSession(writer.get()).execute("create table t (id integer)");
  const Handle reader(directory / "a.db", SQLITE_OPEN_READONLY);
  SqliteSession session(reader.get());
  EXPECT_EQ(code_thrown_by([&] { session.execute("insert into t values (1)"); }), Code::read_only);
}

TEST(SqliteSession, a_forked_child_is_refused_and_leaves_the_handle_alone) {
  const Handle handle;
  auto session = std::make_unique<SqliteSession>(handle.get());
  session->script(tables);
  session->run(all);
  EXPECT_TRUE(test::in_child([&] {
    const auto code = code_thrown_by([&] { session->run(all); });
    session.reset();
    const bool kept = sqlite3_next_stmt(handle.get(), nullptr) != nullptr;
    return code == Code::forked && kept;
  }));
  EXPECT_EQ(session->run(all), 0);
}

TEST(SqliteSession, finalizes_what_it_prepared) {
  const Handle handle;
  {
    SqliteSession session(handle.get());
    session.script(tables);
    session.run(all);
  }
  EXPECT_EQ(sqlite3_next_stmt(handle.get(), nullptr), nullptr);
}

const Statement insert_wide{
    .name = "insert_wide",
    .sql = "insert into item (id, name) values ($1, $2)",
    .wide = "insert into item (id, name) values ($1, $2), ($3, $4), ($5, $6)",
    .wide_rows = 3};

TEST_F(SqliteSessionTest, a_wide_statement_takes_what_fits_and_the_rest_goes_by_the_row) {
  for (const std::int64_t rows : {1, 2, 3, 4, 8}) {
    Batch batch({Column::integer, Column::text});
    for (std::int64_t i = 0; i < rows; ++i) batch.add({rows * 100 + i, null});
    EXPECT_EQ(session.run_many(insert_wide, batch, {}), rows);
  }
  std::int64_t count = 0;
  session.run(all, {}, [&](const Row&) { ++count; });
  EXPECT_EQ(count, 18);
}

TEST_F(SqliteSessionTest, a_handle_limited_to_few_parameters_gets_no_wide_statement) {
  sqlite3_limit(handle.get(), SQLITE_LIMIT_VARIABLE_NUMBER, 5);
  Batch batch({Column::integer, Column::text});
  for (std::int64_t i = 1; i <= 4; ++i) batch.add({i, null});
  EXPECT_EQ(session.run_many(insert_wide, batch, {}), 4);
}

TEST_F(SqliteSessionTest, a_wide_statement_refuses_rows_of_another_shape) {
  Batch batch({Column::integer, Column::text, Column::integer});
  for (std::int64_t i = 1; i <= 6; ++i) batch.add({i, null, i});
  EXPECT_EQ(code_thrown_by([&] { session.run_many(insert_wide, batch, {}); }), Code::misuse);
  std::int64_t count = 0;
  session.run(all, {}, [&](const Row&) { ++count; });
  EXPECT_EQ(count, 0);
}

}  // namespace
}  // namespace holdfast::db
