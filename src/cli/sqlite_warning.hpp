#pragma once

#include <string_view>

#include "cli/work_log.hpp"

namespace holdfast::cli {

/// True for versions before 3.51.3, in which a process that resets the write-ahead log may race
/// with a checkpoint of another one. A version that cannot be read counts as old.
[[nodiscard]] bool has_wal_reset_race(std::string_view sqlite_version);

/// Says so once at the start of a worker on such a version, naming it.
void warn_of_old_sqlite(WorkLog& log);

}  // namespace holdfast::cli
