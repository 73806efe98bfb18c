#pragma once

#include <string>
#include <vector>

namespace holdfast::tidy {

/// A text file of the repository; its path is relative to the root.
struct File {
  std::string path;
  std::string text;
};

/// What breaks a rule, one `path:line: what is wrong` each. Empty: the rule holds.
using Findings = std::vector<std::string>;

/// Every text file that belongs to the product; throws when the repository is not where it was
/// when this was built, so that a check never passes for want of files.
[[nodiscard]] std::vector<File> all_files();

/// Those whose path begins with `prefix` and ends in one of `endings`.
[[nodiscard]] std::vector<File> files_of(const std::vector<File>& files, const std::string& prefix,
                                         const std::vector<std::string>& endings);

/// The lines of a text, without their ends.
[[nodiscard]] std::vector<std::string> lines_of(const std::string& text);

/// `path:line: what`, lines counted from 1.
[[nodiscard]] std::string finding(const File& file, std::size_t line, const std::string& what);

}  // namespace holdfast::tidy
