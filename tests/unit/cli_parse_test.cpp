#include "cli/parse.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "cli/database.hpp"
#include "cli/format.hpp"
#include "cli/sqlite_warning.hpp"

namespace holdfast::cli {
namespace {

using namespace std::chrono_literals;

TEST(ParseDuration, reads_every_unit) {
  EXPECT_EQ(*parse_duration("500ms"), Duration(500ms));
  EXPECT_EQ(*parse_duration("5s"), Duration(5s));
  EXPECT_EQ(*parse_duration("10m"), Duration(10min));
  EXPECT_EQ(*parse_duration("2h"), Duration(2h));
  EXPECT_EQ(*parse_duration("1d"), Duration(24h));
  EXPECT_EQ(*parse_duration("0s"), Duration(0));
  EXPECT_EQ(*parse_duration("365000d"), Duration(24h) * 365'000);
}

TEST(ParseDuration, refuses_what_is_not_exactly_a_number_and_a_unit) {
  for (const char* text : {"", "5", "s", "-5s", "+5s", "5 s", " 5s", "5s ", "5S", "1.5s", "1e3s",
                           "0x5s", "5us", "1h30m", "5ms5", "\xff"}) {
    EXPECT_FALSE(parse_duration(text)) << text;
  }
  EXPECT_NE(parse_duration("5").fault().find("a whole number and a unit"), std::string::npos);
}

TEST(ParseDuration, refuses_what_would_overflow) {
  for (const char* text : {"365001d", "9223372036854775807s", "99999999999999999999999ms"}) {
    const auto parsed = parse_duration(text);
    EXPECT_FALSE(parsed) << text;
    EXPECT_NE(parsed.fault().find("longer than 365000d"), std::string::npos) << parsed.fault();
  }
}

TEST(ParseInteger, takes_whole_numbers_within_its_limits_only) {
  EXPECT_EQ(*parse_integer("0", 0, 9), 0);
  EXPECT_EQ(*parse_integer("9", 0, 9), 9);
  EXPECT_EQ(*parse_integer("-1", -1, 9), -1);
  for (const char* text : {"", "-", "10", "-1", "+1", " 1", "1 ", "1.0", "1e1", "0x1", "one",
                           "9223372036854775808", "-9223372036854775809"}) {
    EXPECT_FALSE(parse_integer(text, 0, 9)) << text;
  }
}

TEST(ParseId, keeps_every_digit_up_to_2_to_the_53) {
  EXPECT_EQ(*parse_id("9007199254740991"), 9'007'199'254'740'991);
  EXPECT_FALSE(parse_id("9007199254740992"));
  EXPECT_FALSE(parse_id("0"));
  EXPECT_FALSE(parse_id("-1"));
}

/// Read and written again: a table of texts and what they mean in UTC.
struct TimeCase {
  const char* text;
  const char* utc;
};

class ParseTime : public testing::TestWithParam<TimeCase> {};

TEST_P(ParseTime, means) {
  const auto time = parse_time(GetParam().text);
  ASSERT_TRUE(time) << time.fault();
  EXPECT_EQ(format_time(*time), GetParam().utc);
}

INSTANTIATE_TEST_SUITE_P(
    table, ParseTime,
    testing::Values(TimeCase{"2026-01-31T12:00:00Z", "2026-01-31T12:00:00.000000Z"},
                    TimeCase{"2026-01-31t12:00:00z", "2026-01-31T12:00:00.000000Z"},
                    TimeCase{"2026-01-31 12:00:00Z", "2026-01-31T12:00:00.000000Z"},
                    TimeCase{"2026-01-31T12:00:00.5Z", "2026-01-31T12:00:00.500000Z"},
                    TimeCase{"2026-01-31T12:00:00.123456Z", "2026-01-31T12:00:00.123456Z"},
                    TimeCase{"2026-01-31T12:00:00.123456789Z", "2026-01-31T12:00:00.123456Z"},
                    TimeCase{"2026-01-31T12:00:00+01:00", "2026-01-31T11:00:00.000000Z"},
                    TimeCase{"2026-01-31T12:00:00-05:30", "2026-01-31T17:30:00.000000Z"},
                    TimeCase{"2024-02-29T23:30:00-01:00", "2024-03-01T00:30:00.000000Z"},
                    TimeCase{"9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999999Z"},
                    TimeCase{"@0", "1970-01-01T00:00:00.000000Z"},
                    TimeCase{"@1769860800", "2026-01-31T12:00:00.000000Z"},
                    TimeCase{"@1769860800.25", "2026-01-31T12:00:00.250000Z"}));

TEST(ParseTimeFault, refuses_everything_else_with_an_example) {
  for (const char* text : {"",
                           "now",
                           "tomorrow",
                           "2026-01-31",
                           "2026-01-31T12:00:00",
                           "2026-01-31T12:00Z",
                           "2026-02-29T00:00:00Z",
                           "2026-13-01T00:00:00Z",
                           "2026-00-01T00:00:00Z",
                           "2026-01-32T00:00:00Z",
                           "2026-01-31T24:00:00Z",
                           "2026-01-31T12:60:00Z",
                           "2026-01-31T12:00:60Z",
                           "2026-01-31T12:00:00.Z",
                           "2026-01-31T12:00:00+1:00",
                           "2026-01-31T12:00:00+24:00",
                           "2026-01-31T12:00:00Zx",
                           " 2026-01-31T12:00:00Z",
                           "26-01-31T12:00:00Z",
                           "1969-12-31T23:59:59Z",
                           "9999-12-31T23:59:59-01:00",
                           "@",
                           "@-1",
                           "@1.",
                           "@1.5x",
                           "@253402300800",
                           "@99999999999999999999",
                           "1769860800"}) {
    const auto parsed = parse_time(text);
    EXPECT_FALSE(parsed) << text;
    EXPECT_NE(parsed.fault().find("2026-01-31T12:00:00Z"), std::string::npos) << parsed.fault();
  }
}

TEST(ParseNames, splits_at_commas_and_refuses_empty_names) {
  EXPECT_EQ(*parse_names("mail"), std::vector<std::string>{"mail"});
  EXPECT_EQ(*parse_names("mail,images"), (std::vector<std::string>{"mail", "images"}));
  for (const char* text : {"", ",", "mail,", ",mail", "mail,,images"}) {
    EXPECT_FALSE(parse_names(text)) << text;
  }
}

TEST(ParseState, knows_the_eight_names_and_lists_them) {
  for (const char* name : {"scheduled", "retrying", "ready", "running", "succeeded", "cancelled",
                           "discarded", "quarantined"}) {
    ASSERT_TRUE(parse_state(name)) << name;
    EXPECT_EQ(to_string(*parse_state(name)), name);
  }
  EXPECT_FALSE(parse_state("done"));
  EXPECT_FALSE(parse_state("Ready"));
}

TEST(ParseExec, ends_the_kind_at_the_first_equals_sign) {
  const auto exec = parse_exec("mail=env A=1 send");
  ASSERT_TRUE(exec);
  EXPECT_EQ(exec->kind, "mail");
  EXPECT_EQ(exec->command, "env A=1 send");
  for (const char* text : {"", "mail", "=send", "mail="}) EXPECT_FALSE(parse_exec(text)) << text;
}

TEST(ParseFault, cannot_drive_a_terminal) {
  const std::string fault = parse_duration("\x1b[2J5s").fault();
  EXPECT_EQ(fault.find('\x1b'), std::string::npos);
  EXPECT_NE(fault.find("\\x1b[2J5s"), std::string::npos);
}

TEST(ParseDatabase, reads_both_schemes) {
  EXPECT_EQ(parse_database("sqlite:holdfast.db")->target, "holdfast.db");
  EXPECT_EQ(parse_database("sqlite:/var/lib/a b.db")->target, "/var/lib/a b.db");
  EXPECT_EQ(parse_database("postgres://u@h/d")->dialect, Dialect::postgres);
  EXPECT_EQ(parse_database("postgresql:///d?host=/run")->target, "postgresql:///d?host=/run");
  for (const char* text :
       {"", "holdfast.db", "sqlite:", "sqlite::memory:", "mysql://h/d", "SQLITE:x", "postgres:d"}) {
    EXPECT_FALSE(parse_database(text)) << text;
  }
}

TEST(Password, is_never_shown) {
  const auto shown = [](const char* url) { return without_password(url, url); };
  EXPECT_EQ(shown("postgres://u:secret@h/d"), "postgres://u:***@h/d");
  EXPECT_EQ(shown("postgresql://u:x@h:5432/d"), "postgresql://u:***@h:5432/d");
  EXPECT_EQ(shown("postgres://u:p@ss/w:rd@h/d"), "postgres://u:***@h/d");
  EXPECT_EQ(shown("postgres://h/d?user=u&password=secret&sslmode=require"),
            "postgres://h/d?user=u&password=***&sslmode=require");
  EXPECT_EQ(shown("postgres://u@h:5432/d"), "postgres://u@h:5432/d");
  EXPECT_EQ(shown("sqlite:a:b@c"), "sqlite:a:b@c");
  EXPECT_EQ(without_password("no host in \"u:secret@h\": secret", "postgres://u:secret@h/d"),
            "no host in \"u:***@h\": ***");
}

TEST(Format, shows_the_largest_exact_unit) {
  EXPECT_EQ(format_duration(90s), "90s");
  EXPECT_EQ(format_duration(2h), "2h");
  EXPECT_EQ(format_duration(48h), "2d");
  EXPECT_EQ(format_duration(1500ms), "1500ms");
  EXPECT_EQ(format_duration(0s), "0ms");
}

TEST(Format, keeps_text_from_driving_a_terminal) {
  EXPECT_EQ(for_terminal("a\x1b]0;x\x07"
                         "b\r\n\t\x7f"),
            "a\\x1b]0;x\\x07b\\r\\n\\t\\x7f");
  EXPECT_EQ(for_terminal("\xc2\x9b"
                         "31m"),
            "\\u{9b}31m");  // CSI as one character
  EXPECT_EQ(for_terminal("a\xe2\x80\xae"
                         "txt"),
            "a\\u{202e}txt");  // right-to-left override
  EXPECT_EQ(for_terminal("\xff\xc0\xaf\xed\xa0\x80"), "\\xff\\xc0\\xaf\\xed\\xa0\\x80");
  EXPECT_EQ(for_terminal("Grüße 日本 🎉 \\n"), "Grüße 日本 🎉 \\n");
  EXPECT_EQ(for_terminal_lines("a\n\tb\x1b"), "a\n\tb\\x1b");
}

TEST(Format, cuts_between_characters) {
  EXPECT_EQ(cut("Grüße", 5), "Grüße");
  EXPECT_EQ(cut("Grüße", 4), "Grü…");
  EXPECT_EQ(cut("Grüße", 1), "…");
  EXPECT_EQ(cut("Grüße", 0), "");
  EXPECT_EQ(cut("", 3), "");
}

TEST(Format, makes_text_that_both_databases_take) {
  EXPECT_EQ(for_storage(std::string("a\0b\x1b[0m\r\n\tc", 11)), "a?b?[0m?\n\tc");
  EXPECT_EQ(for_storage("a\xff"
                        "b\xe2\x82"),
            "a\uFFFDb\uFFFD\uFFFD");
  EXPECT_EQ(for_storage("日本"), "日本");
}

TEST(SqliteWarning, is_for_versions_before_the_mended_one) {
  for (const char* old : {"3.40.1", "3.51.2", "3.9.99", "2.99.99", "3.51", "", "unknown"}) {
    EXPECT_TRUE(has_wal_reset_race(old)) << old;
  }
  for (const char* mended : {"3.51.3", "3.52.0", "3.100.0", "4.0.0"}) {
    EXPECT_FALSE(has_wal_reset_race(mended)) << mended;
  }
}

}  // namespace
}  // namespace holdfast::cli
