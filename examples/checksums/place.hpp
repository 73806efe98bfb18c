#pragma once

#include <string>

#include "holdfast/holdfast.hpp"
#include "options.hpp"

namespace checksums {

/// Where a run lives: the database, the names in it, and the directory of the logs.
struct Place {
  std::string database;  ///< sqlite:FILE or a PostgreSQL address
  std::string run;       ///< on PostgreSQL: the schema of the application's tables
  std::string logs;

  [[nodiscard]] bool on_sqlite() const;
  [[nodiscard]] std::string sqlite_file() const;

  /// Where the queue's tables live: a prefix on SQLite, a schema on PostgreSQL.
  [[nodiscard]] std::string queue_schema() const;

  /// A table of the application, as SQL writes it.
  [[nodiscard]] std::string table(const std::string& name) const;

  /// A view of the queue, as SQL writes it.
  [[nodiscard]] std::string queue_view(const std::string& name) const;

  [[nodiscard]] std::string acknowledged_log() const { return logs + "/acknowledged.log"; }
  [[nodiscard]] std::string start_log() const { return logs + "/starts.log"; }
  [[nodiscard]] std::string left_out_log() const { return logs + "/left_out.log"; }

  [[nodiscard]] holdfast::Store open_store() const;
};

[[nodiscard]] Place place_of(const Options& options);

}  // namespace checksums
