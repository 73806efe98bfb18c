// What the build refuses to embed, and where it says the fault is.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "store/embed/migration_files.hpp"
#include "store/embed/statement_files.hpp"
#include "support/temporary_directory.hpp"

namespace holdfast::store::embed {
namespace {

using testing::EndsWith;

class Embed : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) {
    std::ofstream(directory_ / name) << text;
  }

  // What read_statements says of these three files, or nothing.
  std::string refusal(const std::string& shared, const std::string& sqlite = "",
                      const std::string& postgres = "") {
    write("statements.sql", shared);
    write("statements.sqlite.sql", sqlite);
    write("statements.postgres.sql", postgres);
    return refusal_of([&] { (void)read_statements(directory_.path().string()); });
  }

  std::string migration_refusal() {
    return refusal_of([&] { (void)read_migrations(directory_.path().string()); });
  }

  test::TemporaryDirectory directory_;

 private:
  template <typename Read>
  static std::string refusal_of(Read read) {
    try {
      read();
    } catch (const Refused& refused) {
      return refused.what();
    }
    return "";
  }
};

const std::string good = "-- name: a\n-- why: b\nselect $1;\n";

TEST_F(Embed, a_statement_without_why_is_refused) {
  EXPECT_THAT(refusal(good + "\n-- name: b\nselect 1;\n"),
              EndsWith("statements.sql:5: a statement has a line `-- why:`"));
}

TEST_F(Embed, a_name_used_twice_is_refused) {
  EXPECT_THAT(refusal(good + good), EndsWith("statements.sql:4: a is here twice, first at line 1"));
  EXPECT_THAT(refusal(good, good, good),
              EndsWith("statements.sqlite.sql:1: a is in the shared file as well"));
}

TEST_F(Embed, a_statement_of_one_dialect_says_so) {
  const std::string only = "-- only: a\n-- why: b\nselect 1;\n";

  EXPECT_THAT(refusal("", good), EndsWith("statements.sqlite.sql:1: a is missing in "
                                          "statements.postgres.sql; mark it `only` if that is "
                                          "meant"));
  EXPECT_THAT(refusal("", "", only), "");
  EXPECT_THAT(refusal("", good, only), EndsWith("statements.postgres.sql:1: a is marked `only` but "
                                                "statements.sqlite.sql has it too"));
}

TEST_F(Embed, parameters_have_no_gap_and_shared_ones_are_in_order) {
  EXPECT_THAT(refusal("-- name: a\n-- why: b\nselect $1, $3;\n"),
              EndsWith("statements.sql:1: parameters are numbered in the order of their first use; "
                       "$3 comes too early"));
  EXPECT_THAT(
      refusal("", "-- only: a\n-- why: b\nselect $1, $3;\n"),
      EndsWith("statements.sqlite.sql:1: parameters have a gap: $1 to $3 must all be used"));
  EXPECT_THAT(refusal("-- name: a\n-- why: b\nselect '$5', $1, $2, $1;\n"), "");
}

TEST_F(Embed, both_dialects_take_the_same_number_of_parameters) {
  EXPECT_THAT(refusal("", good, "-- name: a\n-- why: b\nselect $1, $2;\n"),
              EndsWith("statements.postgres.sql:1: a has another number of parameters on SQLite"));
}

TEST_F(Embed, a_second_part_and_a_semicolon_inside_quotes_are_kept) {
  write("statements.sql", "");
  write("statements.postgres.sql", "");
  write("statements.sqlite.sql",
        "-- only: a\n-- why: b\nselect ';--' -- why\n  from t;\n-- then\ndelete from t;\n");

  const auto statements = read_statements(directory_.path().string());

  EXPECT_EQ(statements.at("a").sqlite.sql, "select ';--'\n  from t");
  EXPECT_EQ(statements.at("a").sqlite.then, "delete from t");
  EXPECT_EQ(statements.at("a").postgres.sql, "");
}

TEST_F(Embed, text_behind_the_semicolon_is_refused) {
  EXPECT_THAT(refusal("-- name: a\n-- why: b\nselect 1; select 2;\n"),
              EndsWith("statements.sql:1: a statement ends in its only semicolon"));
}

TEST_F(Embed, a_migration_without_its_pair_is_refused) {
  write("0001_core.sqlite.sql", "-- oldest: 1\nselect 1;\n");

  EXPECT_THAT(migration_refusal(), testing::HasSubstr("migration 1 is not there once for each"));

  write("0001_core.postgres.sql", "-- oldest: 1\nselect 1;\n");
  EXPECT_EQ(migration_refusal(), "");
}

TEST_F(Embed, a_migration_says_the_oldest_program) {
  write("0001_core.sqlite.sql", "select 1;\n");

  EXPECT_THAT(migration_refusal(),
              EndsWith("0001_core.sqlite.sql:1: a migration begins with `-- oldest: N`"));
}

TEST_F(Embed, a_wide_insert_repeats_its_tuple_with_parameters_of_its_own) {
  write("statements.sql", "");
  write("statements.postgres.sql", "");
  write("statements.sqlite.sql",
        "-- only: a\n-- why: b\n-- rows: 3\ninsert into t (x, y)\nvalues ($1, $2);\n");

  const auto statements = read_statements(directory_.path().string());

  EXPECT_EQ(statements.at("a").sqlite.sql, "insert into t (x, y)\nvalues ($1, $2)");
  EXPECT_EQ(statements.at("a").sqlite.wide,
            "insert into t (x, y)\nvalues ($1, $2),\n($3, $4),\n($5, $6)");
  EXPECT_EQ(statements.at("a").sqlite.wide_rows, 3);
}

TEST_F(Embed, only_an_insert_of_plain_values_can_be_wide) {
  const std::string only = "-- only: a\n-- why: b\n-- rows: ";

  EXPECT_THAT(refusal("", only + "3\nselect $1;\n"),
              EndsWith("`-- rows:` is for an insert that ends in `values (…)`"));
  EXPECT_THAT(refusal("", only + "3\ninsert into t values ($1) returning x;\n"),
              EndsWith("`-- rows:` is for an insert that ends in `values (…)`"));
  EXPECT_THAT(refusal("", only + "1\ninsert into t values ($1);\n"),
              EndsWith("statements.sqlite.sql:3: `-- rows:` is 2 to 999"));
  EXPECT_THAT(refusal("", "", only + "3\ninsert into t values ($1);\n"),
              EndsWith("statements.postgres.sql:3: only SQLite's file has wide inserts"));
}

TEST_F(Embed, a_plan_is_kept_or_pinned_and_sqlite_has_nothing_to_say_about_it) {
  const std::string only = "-- only: a\n-- why: b\n-- plan: ";

  EXPECT_THAT(refusal("", only + "kept\nselect $1;\n"),
              EndsWith("statements.sqlite.sql:3: SQLite keeps every plan"));
  EXPECT_THAT(refusal("", "", only + "old\nselect $1;\n"),
              EndsWith("statements.postgres.sql:3: a plan is `kept` or `pinned`, not `old`"));
  EXPECT_THAT(refusal("", "", only + "pinned\nselect $1;\n"), "");
}

}  // namespace
}  // namespace holdfast::store::embed
