#include <algorithm>
#include <array>
#include <optional>
#include <regex>
#include <string_view>

#include "tidy/rules.hpp"

namespace holdfast::tidy {

namespace {

constexpr std::array<std::string_view, 7> layers = {"base",   "db",    "store", "queue",
                                                    "worker", "bench", "cli"};

std::optional<std::size_t> layer_of(std::string_view folder) {
  const auto* const found = std::find(layers.begin(), layers.end(), folder);
  if (found == layers.end()) return std::nullopt;
  return static_cast<std::size_t>(found - layers.begin());
}

struct Include {
  std::size_t line;
  std::string target;
  bool quoted;
};

std::vector<Include> includes_of(const File& file) {
  static const std::regex pattern(R"(\s*#\s*include\s*([<"])([^>"]+)[>"].*)");
  std::vector<Include> includes;
  std::size_t number = 0;
  for (const std::string& line : lines_of(file.text)) {
    ++number;
    std::smatch match;
    if (std::regex_match(line, match, pattern)) {
      includes.push_back(Include{number, match[2], match[1] == "\""});
    }
  }
  return includes;
}

std::string first_folder(const std::string& path) { return path.substr(0, path.find('/')); }

std::string folder_below_src(const File& file) {
  return first_folder(file.path.substr(std::string_view("src/").size()));
}

std::string file_name(const File& file) { return file.path.substr(file.path.rfind('/') + 1); }

bool is_edge_library(const std::string& target) {
  constexpr std::array<std::string_view, 4> edge = {"fmt", "spdlog", "CLI", "nlohmann"};
  return std::find(edge.begin(), edge.end(), first_folder(target)) != edge.end();
}

std::string why_foreign(const File& file, const std::string& target) {
  const std::string folder = folder_below_src(file);
  if (target == "libpq-fe.h" && !file_name(file).starts_with("postgres_")) {
    return "libpq is seen by postgres_* alone";
  }
  if (target == "sqlite3.h" && folder != "db" && !file_name(file).starts_with("sqlite_")) {
    return "SQLite is seen by src/db and sqlite_* alone";
  }
  if (is_edge_library(target) && folder != "cli") return target + " is for the command line alone";
  return "";
}

}  // namespace

Findings upward_includes(const File& source) {
  const std::string own = folder_below_src(source);
  const auto level = layer_of(own);
  if (!level) return {finding(source, 1, own + " is not one of the layers")};
  Findings findings;
  for (const Include& include : includes_of(source)) {
    const auto target = layer_of(first_folder(include.target));
    if (include.quoted && target && *target > *level) {
      findings.push_back(
          finding(source, include.line, own + " includes upward: " + include.target));
    }
  }
  return findings;
}

Findings foreign_includes(const File& source) {
  Findings findings;
  for (const Include& include : includes_of(source)) {
    const std::string why = why_foreign(source, include.target);
    if (!why.empty()) findings.push_back(finding(source, include.line, why));
  }
  return findings;
}

Findings public_header(const File& header) {
  Findings findings;
  if (!header.text.starts_with("#pragma once\n")) {
    findings.push_back(finding(header, 1, "a public header starts with #pragma once"));
  }
  for (const Include& include : includes_of(header)) {
    const bool standard =
        !include.quoted && include.target.find_first_of("./") == std::string::npos;
    const bool ours = include.quoted && include.target.starts_with("holdfast/");
    if (!standard && !ours) {
      findings.push_back(
          finding(header, include.line, "not for a public header: " + include.target));
    }
  }
  return findings;
}

}  // namespace holdfast::tidy
