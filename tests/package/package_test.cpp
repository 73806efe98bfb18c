// Every way a project can take Holdfast in, from outside of this build tree.

#include <gtest/gtest.h>

#include <filesystem>

#include "package/command.hpp"
#include "support/temporary_directory.hpp"

namespace holdfast::test {
namespace {

const std::string source_dir = HOLDFAST_SOURCE_DIR;
const std::string binary_dir = HOLDFAST_BINARY_DIR;

testing::AssertionResult succeeds(const std::vector<std::string>& words) {
  const Ran ran = run_command(words);
  if (ran.exit_code == 0) return testing::AssertionSuccess() << ran.output;
  std::string command;
  for (const std::string& word : words) command += word + " ";
  return testing::AssertionFailure() << command << "\nexit code " << ran.exit_code << "\n"
                                     << ran.output;
}

class Package : public testing::Test {
 protected:
  // Configures and builds a project of the repository in a directory of the test's own.
  void build(const std::string& project, const std::vector<std::string>& options,
             const std::string& generator = HOLDFAST_GENERATOR) {
    std::vector<std::string> configure = {HOLDFAST_CMAKE,
                                          "-S",
                                          source_dir + "/" + project,
                                          "-B",
                                          directory_ / "build",
                                          "-G",
                                          generator,
                                          "-DCMAKE_CXX_COMPILER=" HOLDFAST_COMPILER,
                                          "-DCMAKE_CXX_COMPILER_LAUNCHER=" HOLDFAST_CCACHE,
                                          "-DCMAKE_CXX_FLAGS=" HOLDFAST_FLAGS};
    configure.insert(configure.end(), options.begin(), options.end());
    ASSERT_TRUE(succeeds(configure));
    ASSERT_TRUE(succeeds({HOLDFAST_CMAKE, "--build", directory_ / "build", "-j2"}));
  }

  void install() {
    ASSERT_TRUE(succeeds({HOLDFAST_CMAKE, "--install", binary_dir, "--prefix", prefix_}));
  }

  TemporaryDirectory directory_;
  std::string prefix_ = directory_ / "prefix";
};

TEST_F(Package, an_installed_library_is_found_and_works) {
  ASSERT_NO_FATAL_FAILURE(install());

  ASSERT_NO_FATAL_FAILURE(build("tests/package/consumer", {"-DCMAKE_PREFIX_PATH=" + prefix_}));

  EXPECT_TRUE(succeeds({directory_ / "build/consumer"}));
}

TEST_F(Package, the_source_tree_works_as_a_subdirectory) {
  ASSERT_NO_FATAL_FAILURE(build("tests/package/consumer", {"-DHOLDFAST_SUBDIRECTORY=" + source_dir},
                                "Unix Makefiles"));  // CMake's own choice for who says nothing

  EXPECT_TRUE(succeeds({directory_ / "build/consumer"}));
}

TEST_F(Package, an_example_builds_on_its_own_against_the_installed_library) {
  ASSERT_NO_FATAL_FAILURE(install());

  ASSERT_NO_FATAL_FAILURE(build("examples/checksums", {"-DCMAKE_PREFIX_PATH=" + prefix_}));

  EXPECT_TRUE(succeeds({directory_ / "build/checksums", "--help"}));
}

TEST_F(Package, an_installed_program_tells_its_version) {
  ASSERT_NO_FATAL_FAILURE(install());

  EXPECT_TRUE(succeeds({prefix_ + "/bin/holdfast", "version"}));
}

}  // namespace
}  // namespace holdfast::test
