#include <array>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "conformance/queue_test.hpp"
#include "holdfast/error.hpp"

/// Enqueueing is an INSERT: from other languages' own drivers, and refused by the database itself.
namespace holdfast::test {
namespace {

/// What a command prints, without the last newline; fails the test when it does not exit with 0.
std::string output_of(const std::string& command) {
  std::string output;
  FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
  std::array<char, 4096> buffer{};
  while (pipe != nullptr && std::fgets(buffer.data(), buffer.size(), pipe) != nullptr) {
    output += buffer.data();
  }
  EXPECT_EQ(pipe == nullptr ? -1 : ::pclose(pipe), 0) << command << "\n" << output;
  while (!output.empty() && output.back() == '\n') output.pop_back();
  return output;
}

std::string quoted(const std::string& text) { return "\"" + text + "\""; }

const std::string clients = HOLDFAST_SOURCE_DIR "/tests/clients/";

class PlainInsert : public QueueTest {
 protected:
  /// The one committed job is there, can be worked, and the rolled-back one is not.
  void expect_one_job_from(const std::string& language) {
    const auto jobs = q.claim({.limit = 10, .queue = "mail"});
    ASSERT_EQ(jobs.size(), 1u);
    EXPECT_EQ(jobs[0].payload, "{\"from\": \"" + language + "\"}");
    EXPECT_EQ(jobs[0].priority, 5);
    EXPECT_EQ(q.settle(jobs[0], queue::Event::succeeded), queue::Settlement::settled);
    EXPECT_EQ(q.state(jobs[0].id), JobState::succeeded);
  }

  [[nodiscard]] bool on_sqlite() { return q.connection().dialect() == Dialect::sqlite; }

  /// The error of an INSERT with one column set to an SQL expression.
  std::string refusal(const std::string& column, const std::string& expression) {
    const bool is_kind = column == "kind";
    try {
      q.connection().execute("insert into " + q.table("jobs") + " (" + column +
                             (is_kind ? "" : ", kind") + ") values (" + expression +
                             (is_kind ? "" : ", 'k'") + ")");
    } catch (const Error& error) {
      return error.what();
    }
    return "accepted";
  }
};
INSTANTIATE_TEST_SUITE_P(Everywhere, PlainInsert,
                         ::testing::Values(Backend::file, Backend::postgres), backend_name);

TEST_P(PlainInsert, from_node) {
  const std::string dialect = on_sqlite() ? "sqlite " : "postgres ";
  // The set-up brings a Node of its own where the installed one is too old.
  EXPECT_EQ(output_of("PATH=" + clients + "runtime/bin:$PATH node " + clients +
                      "plain_insert.mjs " + dialect + quoted(q.address())),
            "1");
  expect_one_job_from("node");
}

TEST_P(PlainInsert, from_python_or_psql) {
  if (on_sqlite()) {
    EXPECT_EQ(output_of("python3 " + clients + "plain_insert.py " + quoted(q.address())), "1");
    expect_one_job_from("python");
    return;
  }
  const std::string sql =
      "begin; insert into holdfast.jobs (queue, kind, payload)"
      " values ('mail', 'k', '{\\\"from\\\": \\\"psql\\\"}'); commit;"
      " begin; insert into holdfast.jobs (queue, kind) values ('mail', 'k'); rollback;";
  (void)output_of("psql --no-psqlrc -qAt -v ON_ERROR_STOP=1 " + quoted(q.address()) + " -c " +
                  quoted(sql));
  expect_one_job_from("psql");
}

TEST_P(PlainInsert, a_bad_row_is_refused_by_the_database_with_the_rule) {
  const std::string control = on_sqlite() ? "char(7)" : "chr(7)";
  const std::string long_text =
      on_sqlite() ? "replace(hex(zeroblob(101)), '0', 'x')" : "repeat('x', 201)";
  const std::string too_big =
      on_sqlite() ? "replace(hex(zeroblob(524289)), '0', 'x')" : "repeat('x', 1048577)";
  struct Bad {
    std::string column, expression, rule;
  };
  std::vector<Bad> rows{{"kind", "''", "kind has 1 to 200 characters"},
                        {"kind", long_text, "kind has 1 to 200 characters"},
                        {"kind", "'a' || " + control, "no control characters"},
                        {"queue", "''", "queue has 1 to 200 characters"},
                        {"queue", "'a' || " + control, "no control characters"},
                        {"group_key", "'a' || " + control, "no control characters"},
                        {"unique_key", "''", "unique_key has 1 to 500 characters"},
                        {"priority", "10", "priority is 0 (first) to 9 (last)"},
                        {"priority", "-1", "priority is 0 (first) to 9 (last)"},
                        {"run_at", "-1", "run_at is"},
                        {"run_at", "253402300800000000", "run_at is"},
                        {"max_attempts", "0", "max_attempts is 1 to 1000000"},
                        {"timeout_ms", "0", "timeout_ms is 1 to"},
                        {"payload", too_big, "payload has at most 1 MiB"},
                        {"attempt", "-1", "attempt is 0 to"},
                        {"fence", "9007199254740992", "fence is 0 to 2^53-1"},
                        {"next_payload", "'x'", "only a running job is re-armed"}};
  if (on_sqlite()) {
    rows.push_back({"kind", "'a' || char(0) || 'b'", "no control characters"});
    rows.push_back({"payload", "'a' || char(0)", "no zero byte"});
    rows.push_back({"run_at", "9e999", "run_at"});
    rows.push_back({"run_at", "'tomorrow'", "run_at"});
    rows.push_back({"id", "9007199254740992", "id is between 1 and 2^53-1"});
    rows.push_back({"payload", "x'00ff'", "payload"});
  } else {
    rows.push_back({"run_at", "'infinity'", "infinity"});
    rows.push_back({"id", "5", "non-DEFAULT value into column \"id\""});
  }
  for (const Bad& row : rows) {
    EXPECT_NE(refusal(row.column, row.expression).find(row.rule), std::string::npos)
        << row.column << " = " << row.expression << ": " << refusal(row.column, row.expression);
  }
  EXPECT_EQ(q.number("select count(*) from " + q.table("jobs")), 0);
}

}  // namespace
}  // namespace holdfast::test
