// The rules of the repository, applied to the repository.

#include "tidy/repository.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidy/rules.hpp"

namespace holdfast::tidy {
namespace {

using Rule = Findings (*)(const File&);

class Repository : public testing::Test {
 protected:
  static const std::vector<File>& files() {
    static const std::vector<File> all = all_files();
    return all;
  }

  // Applies a rule to all files of a kind, of which there must be some.
  static Findings broken(Rule rule, const std::string& prefix,
                         const std::vector<std::string>& endings = {""}) {
    const std::vector<File> chosen = files_of(files(), prefix, endings);
    EXPECT_FALSE(chosen.empty()) << "nothing to check below " << prefix;
    Findings all;
    for (const File& file : chosen) {
      const Findings found = rule(file);
      all.insert(all.end(), found.begin(), found.end());
    }
    return all;
  }
};

const std::vector<std::string> source_endings = {".hpp", ".cpp"};

TEST_F(Repository, includes_point_down) {
  EXPECT_THAT(broken(upward_includes, "src/", source_endings), testing::IsEmpty());
}

TEST_F(Repository, libraries_are_seen_by_their_own_files_alone) {
  EXPECT_THAT(broken(foreign_includes, "src/", source_endings), testing::IsEmpty());
}

TEST_F(Repository, public_headers_include_no_database_and_no_json) {
  EXPECT_THAT(broken(public_header, "include/"), testing::IsEmpty());
}

TEST_F(Repository, files_are_short) { EXPECT_THAT(broken(too_long, ""), testing::IsEmpty()); }

TEST_F(Repository, file_names_say_something) {
  EXPECT_THAT(broken(empty_name, ""), testing::IsEmpty());
}

TEST_F(Repository, lines_end_where_their_text_ends) {
  EXPECT_THAT(broken(loose_ends, ""), testing::IsEmpty());
}

TEST_F(Repository, no_file_knows_a_home_directory) {
  EXPECT_THAT(broken(home_paths, ""), testing::IsEmpty());
}

TEST_F(Repository, sources_hold_no_sql) {
  EXPECT_THAT(broken(sql_in_source, "src/", source_endings), testing::IsEmpty());
}

TEST_F(Repository, writes_of_jobs_carry_their_lease) {
  EXPECT_THAT(broken(unfenced_writes, "sql/"), testing::IsEmpty());
}

}  // namespace
}  // namespace holdfast::tidy
