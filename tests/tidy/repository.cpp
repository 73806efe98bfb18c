#include "tidy/repository.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <stdexcept>

namespace holdfast::tidy {

namespace {

namespace fs = std::filesystem;

// What is made by tools, or not ours to format.
const std::set<std::string> left_out = {
    ".git", ".cache", "build", "node_modules", "package-lock.json", "LICENSE"};

const std::set<std::string> text_endings = {".hpp", ".cpp",  ".sql", ".cmake", ".in",  ".txt",
                                            ".md",  ".json", ".sh",  ".py",    ".js",  ".mjs",
                                            ".ts",  ".tsx",  ".css", ".html",  ".ini", ""};

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) throw std::runtime_error(path.string() + " cannot be read");
  return text.str();
}

}  // namespace

std::vector<File> all_files() {
  const fs::path root = HOLDFAST_SOURCE_DIR;
  if (!fs::exists(root / "include/holdfast/holdfast.hpp")) {
    throw std::runtime_error("no repository at " + root.string());
  }
  std::vector<File> files;
  for (auto entry = fs::recursive_directory_iterator(root); entry != fs::end(entry); ++entry) {
    if (left_out.contains(entry->path().filename().string())) {
      if (entry->is_directory()) entry.disable_recursion_pending();
    } else if (entry->is_regular_file() &&
               text_endings.contains(entry->path().extension().string()) &&
               fs::file_size(entry->path()) > 0) {
      files.push_back(File{fs::relative(entry->path(), root).string(), read(entry->path())});
    }
  }
  std::sort(files.begin(), files.end(),
            [](const File& a, const File& b) { return a.path < b.path; });
  return files;
}

std::vector<File> files_of(const std::vector<File>& files, const std::string& prefix,
                           const std::vector<std::string>& endings) {
  std::vector<File> chosen;
  for (const File& file : files) {
    const bool fits = std::any_of(endings.begin(), endings.end(), [&](const std::string& ending) {
      return file.path.ends_with(ending);
    });
    if (fits && file.path.starts_with(prefix)) chosen.push_back(file);
  }
  return chosen;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string finding(const File& file, std::size_t line, const std::string& what) {
  return file.path + ":" + std::to_string(line) + ": " + what;
}

}  // namespace holdfast::tidy
