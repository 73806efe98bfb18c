#ifdef HOLDFAST_WITH_POSTGRES
#include <string>

#include "postgres_fixture.hpp"
#include "queue/partitions.hpp"

namespace holdfast::test {
namespace {

using PostgresErrorTest = PostgresTest;

struct Case {
  const char* sql;
  Code code;
  const char* text;
};

TEST_F(PostgresErrorTest, each_sqlstate_becomes_its_code_and_stays_readable) {
  session().script(
      "create table rules (id bigint constraint \"id is between 1 and 9\" check (id between 1 and "
      "9));"
      "create domain short_text as text constraint \"text is short\" check (length(value) < 3)");
  const Case cases[] = {
      {"insert into rules values (10)", Code::constraint, "id is between 1 and 9 [23514]"},
      {"select 'long'::short_text", Code::constraint, "text is short [23514]"},
      {"insert into notes values (null)", Code::constraint, "[23502]"},
      {"select 'x'::bigint", Code::constraint, "[22P02]"},
      {"select 1 / 0", Code::constraint, "[22012]"},
      {"select * from nowhere", Code::schema, "[42P01]"},
      {"select nothing()", Code::schema, "[42883]"},
      {"do $$ begin raise sqlstate '40001'; end $$", Code::restart, "[40001]"},
      {"do $$ begin raise sqlstate '40P01'; end $$", Code::restart, "[40P01]"},
      {"do $$ begin raise sqlstate '55P03'; end $$", Code::busy, "[55P03]"},
      {"do $$ begin raise sqlstate '57014'; end $$", Code::busy, "[57014]"},
      {"do $$ begin raise sqlstate '53100'; end $$", Code::storage_full, "[53100]"},
      {"do $$ begin raise sqlstate '25006'; end $$", Code::read_only, "[25006]"},
      {"do $$ begin raise sqlstate 'XX001'; end $$", Code::corrupt, "[XX001]"},
      {"do $$ begin raise sqlstate 'HF001'; end $$", Code::storage, "[HF001]"},
  };
  for (const Case& each : cases) {
    const Error error = thrown_by([&] { session().execute(each.sql); }).value();
    EXPECT_EQ(error.code(), each.code) << each.sql;
    EXPECT_NE(std::string(error.what()).find(each.text), std::string::npos) << error.what();
  }
}

TEST_F(PostgresErrorTest, a_named_statement_without_its_table_asks_for_init) {
  const Statement statement{"find_lease", "select 1 from holdfast.jobs"};
  const Error error = thrown_by([&] { session().run(statement, {}); }).value();
  EXPECT_EQ(error.code(), Code::schema);
  EXPECT_EQ(error.statement(), "find_lease");
  EXPECT_NE(std::string(error.what()).find("holdfast init"), std::string::npos) << error.what();
}

TEST_F(PostgresErrorTest, the_values_of_a_refused_row_are_not_repeated) {
  session().execute("insert into notes values (1, 'a')");
  const Error error =
      thrown_by([&] { session().execute("insert into notes values (1, 'secret')"); }).value();
  EXPECT_EQ(error.code(), Code::constraint);
  EXPECT_EQ(std::string(error.what()).find("secret"), std::string::npos) << error.what();
}

TEST_F(PostgresErrorTest, a_missing_history_partition_is_told_from_a_refused_value) {
  session().execute("create table history (at bigint) partition by range (at)");
  const Error missing =
      thrown_by([&] { session().execute("insert into history values (1)"); }).value();
  EXPECT_TRUE(queue::is_missing_partition(missing)) << missing.what();
  session().execute("create table other (at bigint) partition by range (at)");
  const Error other = thrown_by([&] { session().execute("insert into other values (1)"); }).value();
  EXPECT_FALSE(queue::is_missing_partition(other)) << other.what();
}

TEST_F(PostgresErrorTest, an_aborted_transaction_refuses_further_statements) {
  session().begin();
  EXPECT_EQ(code_thrown_by([&] { session().execute("select 1 / 0"); }), Code::constraint);
  const Error error = thrown_by([&] { session().execute("select 1"); }).value();
  EXPECT_EQ(error.code(), Code::misuse);
  EXPECT_NE(std::string(error.what()).find("roll back"), std::string::npos) << error.what();
  session().rollback();
  EXPECT_EQ(session().execute("select 1"), 1);
}

TEST_F(PostgresErrorTest, a_lock_that_is_held_too_long_is_busy) {
  session().execute("insert into notes values (1, 'a')");
  const auto other = connect(database.conninfo());
  other->begin();
  other->execute("update notes set body = 'b' where id = 1");
  session().begin();
  session().execute("set local lock_timeout = '50ms'");
  const Error error = thrown_by([&] { session().execute("update notes set body = 'c'"); }).value();
  EXPECT_EQ(error.code(), Code::busy);
  session().rollback();
  other->rollback();
}

TEST_F(PostgresErrorTest, connection_errors_never_show_the_password) {
  const auto error =
      thrown_by([&] { connect("host=/tmp/open-sesame password=open-sesame"); }).value();
  EXPECT_EQ(error.code(), Code::disconnected);
  EXPECT_EQ(std::string(error.what()).find("sesame"), std::string::npos) << error.what();
  const auto unread = thrown_by([&] { connect("password=open-sesame oops"); }).value();
  EXPECT_EQ(unread.code(), Code::invalid);
  EXPECT_EQ(std::string(unread.what()).find("sesame"), std::string::npos) << unread.what();
}

TEST_F(PostgresErrorTest, the_name_of_a_database_has_no_password) {
  const auto opened = db::open_postgres("postgresql://ann:open-sesame@db.example:6000/shop",
                                        Durability::full, system_clock());
  EXPECT_EQ(opened->name(), "db.example:6000/shop");
}

}  // namespace
}  // namespace holdfast::test
#endif
