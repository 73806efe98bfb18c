#ifdef HOLDFAST_WITH_POSTGRES
#include <limits>
#include <string>

#include "postgres_fixture.hpp"

namespace holdfast::test {
namespace {

using PostgresSessionTest = PostgresTest;
using namespace std::string_literals;

constexpr auto smallest = std::numeric_limits<std::int64_t>::min();
constexpr auto largest = std::numeric_limits<std::int64_t>::max();

TEST_F(PostgresSessionTest, integers_come_back_over_their_whole_range) {
  for (const std::int64_t number : {smallest, std::int64_t{-1}, std::int64_t{0}, largest}) {
    std::int64_t read = 7;
    session().execute("select $1::bigint", {number},
                      [&](const Row& row) { read = row.integer(0); });
    EXPECT_EQ(read, number);
  }
}

TEST_F(PostgresSessionTest, reals_come_back_to_the_last_bit) {
  for (const double number : {0.1, -1e300, 5e-324, 1.0 / 3}) {
    double read = 7;
    session().execute("select $1::float8", {number}, [&](const Row& row) { read = row.real(0); });
    EXPECT_EQ(read, number);
  }
}

TEST_F(PostgresSessionTest, text_comes_back_byte_for_byte) {
  for (const std::string_view text : {"", "a'b\"c\\", "héllo 🚀\n\t", "\x01", "{NULL}"}) {
    std::string read = "unread";
    session().execute("select $1::text", {text}, [&](const Row& row) { read = row.text(0); });
    EXPECT_EQ(read, text);
  }
}

TEST_F(PostgresSessionTest, null_is_not_an_empty_text) {
  session().execute("select $1::text, $2::text", {null, ""}, [&](const Row& row) {
    EXPECT_TRUE(row.is_null(0));
    EXPECT_FALSE(row.is_null(1));
    EXPECT_EQ(code_thrown_by([&] { static_cast<void>(row.text(0)); }), Code::internal);
  });
}

TEST_F(PostgresSessionTest, a_column_read_as_another_type_is_an_internal_error) {
  session().execute("select 1::bigint, 'x'::text, 0.5::float8", {}, [&](const Row& row) {
    EXPECT_EQ(code_thrown_by([&] { static_cast<void>(row.text(0)); }), Code::internal);
    EXPECT_EQ(code_thrown_by([&] { static_cast<void>(row.integer(1)); }), Code::internal);
    EXPECT_EQ(code_thrown_by([&] { static_cast<void>(row.integer(2)); }), Code::internal);
    EXPECT_EQ(code_thrown_by([&] { static_cast<void>(row.text(3)); }), Code::internal);
  });
}

TEST_F(PostgresSessionTest, text_that_cannot_be_stored_is_refused_before_it_is_sent) {
  session().begin();
  const Statement insert{"insert_note", "insert into notes values (1, $1)"};
  EXPECT_EQ(code_thrown_by([&] { session().run(insert, {"a\0b"s}); }), Code::invalid);
  EXPECT_EQ(code_thrown_by([&] { session().run(insert, {"\xff"}); }), Code::invalid);
  EXPECT_EQ(session().run(insert, {"the transaction is still good"}), 1);
  EXPECT_EQ(session().commit(), db::Committed::yes);
}

TEST_F(PostgresSessionTest, counts_the_rows_a_write_changed_and_a_select_read) {
  EXPECT_EQ(session().execute("insert into notes values (1, 'a'), (2, 'b') returning id"), 2);
  EXPECT_EQ(session().execute("update notes set body = 'c' where id = $1", {std::int64_t{9}}), 0);
  EXPECT_EQ(session().execute("select id from notes"), 2);
  EXPECT_EQ(session().execute("with gone as (delete from notes returning id)"
                              " insert into notes select id + 10 from gone where id = 1"),
            1);
}

TEST_F(PostgresSessionTest, a_batch_keeps_nulls_extremes_and_unicode) {
  Batch batch{Column::integer, Column::text, Column::real};
  batch.add({smallest, "🚀", 0.1});
  batch.add({largest, null, null});
  batch.add({null, "", -1e300});
  const Statement echo{"echo",
                       "select a, b, c from unnest($1::bigint[], $2::text[], $3::float8[])"
                       " with ordinality as t(a, b, c, ord) order by ord"};
  std::vector<std::string> rows;
  session().run_many(echo, batch, [&](const Row& row) {
    rows.push_back((row.is_null(0) ? "null" : std::to_string(row.integer(0))) + "|" +
                   (row.is_null(1) ? "null" : std::string(row.text(1))) + "|" +
                   (row.is_null(2)       ? "null"
                    : row.real(2) == 0.1 ? "0.1"
                                         : "other"));
  });
  EXPECT_EQ(rows, (std::vector<std::string>{"-9223372036854775808|🚀|0.1",
                                            "9223372036854775807|null|null", "null||other"}));
}

TEST_F(PostgresSessionTest, a_batch_larger_than_one_round_trip_is_whole_and_in_order) {
  constexpr std::int64_t rows = 25'001;
  Batch batch{Column::integer};
  for (std::int64_t id = 0; id < rows; ++id) batch.add({id});
  const Statement insert{"insert_notes",
                         "insert into notes (id) select id from unnest($1::bigint[])"
                         " with ordinality as t(id, ord) order by ord returning id"};
  std::int64_t next = 0;
  session().begin();
  EXPECT_EQ(
      session().run_many(insert, batch, [&](const Row& row) { next += row.integer(0) == next; }),
      rows);
  EXPECT_EQ(session().commit(), db::Committed::yes);
  EXPECT_EQ(next, rows);
}

TEST_F(PostgresSessionTest, an_empty_batch_asks_nothing) {
  EXPECT_EQ(session().run_many({"broken", "this is no sql"}, Batch{Column::text}, {}), 0);
}

TEST_F(PostgresSessionTest, copy_is_refused_and_leaves_the_connection_usable) {
  EXPECT_EQ(code_thrown_by([&] { session().execute("copy notes to stdout"); }), Code::misuse);
  EXPECT_EQ(code_thrown_by([&] { session().execute("copy notes from stdin"); }), Code::misuse);
  EXPECT_EQ(session().execute("select 1"), 1);
}

TEST_F(PostgresSessionTest, a_script_runs_every_statement) {
  session().begin();
  session().script("insert into notes values (1, ';'); insert into notes values (2, 'b')");
  EXPECT_EQ(session().commit(), db::Committed::yes);
  EXPECT_EQ(committed_notes(), 2);
}

}  // namespace
}  // namespace holdfast::test
#endif
