// Each rule finds what it is there to find, and lets pass what is right.

#include "tidy/rules.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidy/source_text.hpp"

namespace holdfast::tidy {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

TEST(IncludeRules, an_upward_include_is_found) {
  const File file{"src/db/a.cpp", "#include \"base/clock.hpp\"\n#include \"queue/claim.hpp\"\n"};

  EXPECT_THAT(upward_includes(file),
              ElementsAre("src/db/a.cpp:2: db includes upward: queue/claim.hpp"));
}

TEST(IncludeRules, an_unknown_folder_is_found) {
  EXPECT_THAT(upward_includes({"src/shared/a.cpp", "int a;\n"}), SizeIs(1));
}

TEST(IncludeRules, a_client_library_outside_its_files_is_found) {
  EXPECT_THAT(foreign_includes({"src/db/a.cpp", "#include <libpq-fe.h>\n"}), SizeIs(1));
  EXPECT_THAT(foreign_includes({"src/queue/a.cpp", "#include <sqlite3.h>\n"}), SizeIs(1));
  EXPECT_THAT(foreign_includes({"src/worker/a.cpp", "#include <fmt/format.h>\n"}), SizeIs(1));
}

TEST(IncludeRules, a_client_library_in_its_files_passes) {
  EXPECT_THAT(foreign_includes({"src/db/postgres_a.cpp", "#include <libpq-fe.h>\n"}), IsEmpty());
  EXPECT_THAT(foreign_includes({"src/queue/sqlite_a.cpp", "#include <sqlite3.h>\n"}), IsEmpty());
  EXPECT_THAT(foreign_includes({"src/cli/a.cpp", "#include <fmt/format.h>\n"}), IsEmpty());
}

TEST(IncludeRules, a_public_header_that_brings_something_along_is_found) {
  EXPECT_THAT(public_header({"include/holdfast/a.hpp", "#include <sqlite3.h>\n"}), SizeIs(2));
  EXPECT_THAT(public_header({"include/holdfast/a.hpp", "#pragma once\n#include \"db/a.hpp\"\n"}),
              SizeIs(1));
  EXPECT_THAT(public_header({"include/holdfast/a.hpp", "#pragma once\n\n#include <string>\n"}),
              IsEmpty());
}

TEST(TextRules, a_long_file_is_found) {
  std::string text;
  for (int i = 0; i < 599; ++i) text += "\n";

  EXPECT_THAT(too_long({"a.cpp", text}), IsEmpty());
  EXPECT_THAT(too_long({"a.cpp", text + "\n"}), SizeIs(1));
}

TEST(TextRules, an_empty_name_is_found) {
  EXPECT_THAT(empty_name({"src/db/string_utils.cpp", ""}), SizeIs(1));
  EXPECT_THAT(empty_name({"src/db/uncommon.cpp", ""}), IsEmpty());
}

TEST(TextRules, loose_ends_are_found) {
  EXPECT_THAT(loose_ends({"a.md", "a \nb\t\nc\r\nd"}), SizeIs(4));
  EXPECT_THAT(loose_ends({"a.md", " a\n\nb\n"}), IsEmpty());
}

TEST(TextRules, a_home_directory_is_found) {
  const std::string home = std::string("/ho") + "me/";

  EXPECT_THAT(home_paths({"a.md", "see " + home + "ada/notes\n"}), SizeIs(1));
  EXPECT_THAT(home_paths({"a.md", "see /usr/share\n"}), IsEmpty());
}

TEST(SourceText, literals_are_found_and_comments_are_not) {
  const std::string source =
      "// \"no\"\nint n = 1'000; char c = '\"';\nf(\"a\\\"b\"\n  \"c\", R\"x(d\"e)x\"); /* \"no\" "
      "*/\n";

  const std::vector<Literal> literals = string_literals(source);

  ASSERT_THAT(literals, SizeIs(2));
  EXPECT_EQ(literals[0].text, "a\\\"bc");
  EXPECT_EQ(literals[0].line, 3U);
  EXPECT_EQ(literals[1].text, "d\"e");
}

TEST(SqlRules, a_statement_in_a_source_is_found) {
  for (const std::string sql : {"insert into x values (1)", "UPDATE x SET a = 1", "delete from x",
                                "select a \" \"from x"}) {
    EXPECT_THAT(sql_in_source({"src/queue/a.cpp", "f(\"" + sql + "\");\n"}), SizeIs(1)) << sql;
    EXPECT_THAT(sql_in_source({"src/bench/sqlite_floor.cpp", "f(\"" + sql + "\");\n"}), IsEmpty())
        << sql;
  }
}

TEST(SqlRules, what_is_said_to_a_connection_passes) {
  for (const std::string sql : {"begin immediate", "pragma synchronous = full", "select version()",
                                "select extract(epoch from now())", "set local lock_timeout = 1",
                                "cannot delete from there"}) {
    EXPECT_THAT(sql_in_source({"src/db/a.cpp", "f(\"" + sql + "\");\n"}), IsEmpty()) << sql;
  }
}

TEST(SqlRules, a_write_without_the_lease_is_found) {
  for (const std::string sql :
       {"update {ns}jobs set fence = 1, claim_id = 2 where id = $1;",
        "delete from {ns}jobs where id = $1 and fence = $2;",
        "with gone as (delete from {ns}jobs where id = $1 returning *)\n"
        "select 1 from gone where fence = $2 and claim_id = $3;",
        "update {ns}jobs j set attempt = 1 from picked where j.id = picked.id;"}) {
    EXPECT_THAT(unfenced_writes({"sql/a.sql", sql}), SizeIs(1)) << sql;
  }
}

TEST(SqlRules, a_write_with_the_lease_passes) {
  for (const std::string sql :
       {"update {ns}jobs set run_at = $1 where id = $2 and fence = $3 and claim_id = $4;",
        "delete from {ns}jobs where id = $1 and claim_id is null;",
        "with held as (select id from {ns}jobs where fence = $1 and claim_id = $2 for update)\n"
        "delete from {ns}jobs j using held where j.id = held.id;",
        "update {ns}claims set lease_until = $1 where id = $2;"}) {
    EXPECT_THAT(unfenced_writes({"sql/a.sql", sql}), IsEmpty()) << sql;
  }
}

}  // namespace
}  // namespace holdfast::tidy
