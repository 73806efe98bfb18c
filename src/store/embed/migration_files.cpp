#include "store/embed/migration_files.hpp"

#include <algorithm>
#include <filesystem>
#include <regex>

namespace holdfast::store::embed {

namespace {

std::vector<std::string> sorted_files(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

int read_oldest(const Line& line, int version) {
  std::smatch match;
  if (!std::regex_match(line.text, match, std::regex("-- oldest: ([0-9]{1,4})"))) {
    throw Refused(line.place, "a migration begins with `-- oldest: N`");
  }
  const int oldest = std::stoi(match[1]);
  if (oldest < 1 || oldest > version) {
    throw Refused(line.place, "oldest is between 1 and the version itself");
  }
  return oldest;
}

Migration read_migration(const std::string& path, int version, const std::string& name) {
  const std::vector<Line> lines = read_lines(path);
  if (lines.empty()) throw Refused(Place{path, 1}, "an empty migration");
  std::string text;
  for (const Line& line : lines) text += line.text + "\n";
  return Migration{version, name, read_oldest(lines.front(), version), without_comments(text)};
}

void refuse_unpaired(const Migrations& all, const std::string& folder) {
  const std::size_t count = std::max(all.sqlite.size(), all.postgres.size());
  for (std::size_t i = 0; i < count; ++i) {
    const int version = static_cast<int>(i) + 1;
    const auto fits = [&](const std::vector<Migration>& list) {
      return i < list.size() && list[i].version == version;
    };
    if (!fits(all.sqlite) || !fits(all.postgres) || all.sqlite[i].name != all.postgres[i].name ||
        all.sqlite[i].oldest != all.postgres[i].oldest) {
      throw Refused(Place{folder, 1}, "migration " + std::to_string(version) +
                                          " is not there once for each database, with one name "
                                          "and one `oldest`");
    }
  }
}

}  // namespace

Migrations read_migrations(const std::string& folder) {
  const std::regex pattern(R"(([0-9]{4})_([a-z0-9_]+)\.(sqlite|postgres)\.sql)");
  Migrations all;
  for (const std::string& file : sorted_files(folder)) {
    const std::string path = folder + "/" + file;
    std::smatch match;
    if (!std::regex_match(file, match, pattern)) {
      throw Refused(Place{path, 1}, "a migration is called NNNN_name.{sqlite,postgres}.sql");
    }
    auto& list = match[3] == "sqlite" ? all.sqlite : all.postgres;
    list.push_back(read_migration(path, std::stoi(match[1]), match[2]));
  }
  refuse_unpaired(all, folder);
  return all;
}

}  // namespace holdfast::store::embed
