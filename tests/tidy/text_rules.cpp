#include <regex>
#include <set>

#include "tidy/rules.hpp"

namespace holdfast::tidy {

namespace {

constexpr std::size_t lines_max = 600;

std::string stem_of(const std::string& path) {
  const std::string name = path.substr(path.rfind('/') + 1);
  return name.substr(0, name.find('.'));
}

}  // namespace

Findings too_long(const File& file) {
  const std::size_t lines = lines_of(file.text).size();
  if (lines < lines_max) return {};
  return {finding(file, lines, "a file has fewer than " + std::to_string(lines_max) + " lines")};
}

Findings empty_name(const File& file) {
  static const std::set<std::string> empty = {"util",   "utils",   "common", "manager",
                                              "helper", "helpers", "misc"};
  static const std::regex word("[a-z]+");
  const std::string stem = stem_of(file.path);
  for (std::sregex_iterator found(stem.begin(), stem.end(), word), end; found != end; ++found) {
    if (empty.contains(found->str())) return {finding(file, 1, "a name that says nothing")};
  }
  return {};
}

Findings loose_ends(const File& file) {
  Findings findings;
  std::size_t number = 0;
  for (const std::string& line : lines_of(file.text)) {
    ++number;
    if (!line.empty() && (line.back() == ' ' || line.back() == '\t' || line.back() == '\r')) {
      findings.push_back(finding(file, number, "blanks at the end of the line"));
    }
  }
  if (file.text.back() != '\n') {
    findings.push_back(finding(file, number, "no line end at the end of the file"));
  }
  return findings;
}

Findings home_paths(const File& file) {
  // Written in pieces, so that this file does not find itself.
  static const std::regex pattern(
      "/(ho"
      "me|Us"
      "ers)/[a-z]|/ro"
      "ot/[a-z.]");
  Findings findings;
  std::size_t number = 0;
  for (const std::string& line : lines_of(file.text)) {
    ++number;
    if (std::regex_search(line, pattern)) {
      findings.push_back(finding(file, number, "a path of one person's machine"));
    }
  }
  return findings;
}

}  // namespace holdfast::tidy
