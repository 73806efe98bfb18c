#include "cli/sqlite_warning.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>

#include "holdfast/sqlite.hpp"

namespace holdfast::cli {

bool has_wal_reset_race(std::string_view sqlite_version) {
  constexpr std::array<int, 3> mended{3, 51, 3};
  std::array<int, 3> parts{};
  const char* at = sqlite_version.data();
  const char* const end = at + sqlite_version.size();
  for (int& part : parts) {
    const auto [next, error] = std::from_chars(at, end, part);
    if (error != std::errc{}) return true;
    at = next == end ? end : next + 1;
  }
  return parts < mended;
}

void warn_of_old_sqlite(WorkLog& log) {
  const std::string_view version = sqlite::library_version();
  if (!has_wal_reset_race(version)) return;
  log.line(LogLevel::warning,
           fmt::format("SQLite {} has a rare race that can damage the file when several processes "
                       "write and checkpoint it at the same moment (WAL reset, mended in 3.51.3): "
                       "use a newer SQLite, or one process",
                       version));
}

}  // namespace holdfast::cli
