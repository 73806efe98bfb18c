#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "conformance/queue_test.hpp"

/// The schema that the migrations make, as files that are reviewed when it changes. After a change
/// of sql/migrations run the test once with HOLDFAST_WRITE_SCHEMA=1.
namespace holdfast::test {
namespace {

std::string output_of(const std::string& command) {
  std::string output;
  FILE* pipe = ::popen(command.c_str(), "r");
  std::array<char, 4096> buffer{};
  while (pipe != nullptr && std::fgets(buffer.data(), buffer.size(), pipe) != nullptr) {
    output += buffer.data();
  }
  EXPECT_EQ(pipe == nullptr ? -1 : ::pclose(pipe), 0) << command;
  return output;
}

/// Without comments, settings and blank lines, which follow the version of the dumping program.
std::string significant(const std::string& dump) {
  std::istringstream lines(dump);
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    const bool noise = line.empty() || line.rfind("--", 0) == 0 || line.rfind("SET ", 0) == 0 ||
                       line.rfind("SELECT pg_catalog", 0) == 0 || line[0] == '\\';
    if (!noise) text += line + "\n";
  }
  return text;
}

std::string sqlite_dump(QueueUnderTest& q) {
  std::string text;
  q.connection().execute(
      "select sql from sqlite_master where sql is not null and name not like 'sqlite%'"
      " order by name",
      {}, [&](const Row& row) { text += std::string(row.text(0)) + ";\n"; });
  return text;
}

/// The partitions are named after days and come and go.
std::string postgres_dump(const std::string& address) {
  return significant(output_of(
      "pg_dump --schema-only --no-owner --no-privileges --exclude-table='holdfast.history_2*' "
      "--dbname=\"" +
      address + "\""));
}

class SchemaDump : public QueueTest {};
INSTANTIATE_TEST_SUITE_P(Everywhere, SchemaDump,
                         ::testing::Values(Backend::file, Backend::postgres), backend_name);

TEST_P(SchemaDump, is_what_the_migrations_make) {
  const bool sqlite = q.connection().dialect() == Dialect::sqlite;
  const std::string path =
      std::string(HOLDFAST_SOURCE_DIR "/tests/schema.") + (sqlite ? "sqlite" : "postgres") + ".sql";
  const std::string made = sqlite ? sqlite_dump(q) : postgres_dump(q.address());
  if (std::getenv("HOLDFAST_WRITE_SCHEMA") != nullptr) std::ofstream(path) << made;
  std::ostringstream kept;
  kept << std::ifstream(path).rdbuf();
  EXPECT_EQ(made, kept.str());
}

}  // namespace
}  // namespace holdfast::test
