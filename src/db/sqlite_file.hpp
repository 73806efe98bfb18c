#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "db/sqlite_handle.hpp"
#include "db/write_gate.hpp"
#include "db/write_pace.hpp"
#include "holdfast/clock.hpp"
#include "holdfast/store.hpp"

namespace holdfast::db {

/// What all connections to one SQLite database share. Only the gate changes after construction, and
/// what belongs to who holds it.
struct SqliteFile {
  /// Makes a missing file. Throws Error(invalid) for a path that is none, `storage` when the file
  /// cannot be made.
  SqliteFile(const std::string& path, Durability wanted, const Clock& time,
             std::chrono::milliseconds limit);

  /// Throws Error(forked) in a child of the process that opened it. Not even a new connection may
  /// be made there: SQLite would count on file locks that only the parent has.
  void require_same_process() const;

  std::string name;  ///< for messages
  bool in_memory;
  std::string location;  ///< what SQLite opens; absolute, so that chdir() does not move it
  Durability durability;
  const Clock& clock;
  std::chrono::milliseconds busy_limit;
  std::uint64_t made_in;  ///< fork generation
  WriteGate gate = {};
  WritePace pace = {};                             ///< of who holds the gate
  std::optional<std::uint32_t> commits_left = {};  ///< counted when the gate was left last
  SqliteHandle anchor = {};  ///< keeps a database in memory alive between connections
};

}  // namespace holdfast::db
