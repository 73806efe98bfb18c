#pragma once

#include <cstdint>
#include <memory>

#include "db/busy_wait.hpp"

struct sqlite3;

namespace holdfast::db {

struct SqliteFile;

/// A sqlite3 handle that is ours. Left open on purpose in a forked child: closing it there would
/// take the locks away from the parent.
class SqliteHandle {
 public:
  enum class Open { existing, create };

  SqliteHandle() = default;

  /// Opens a file and makes it durable: WAL, `synchronous` as asked, both read back. Throws
  /// Error(storage) when it cannot be opened, `schema` when it is no database, `read_only`,
  /// `durability`, `busy`.
  SqliteHandle(const SqliteFile& file, Open how);
  ~SqliteHandle() { close(); }
  SqliteHandle(SqliteHandle&& other) noexcept;
  SqliteHandle& operator=(SqliteHandle&& other) noexcept;

  [[nodiscard]] ::sqlite3* get() const noexcept { return db_; }

  /// How it waits for others. Only while it is open.
  [[nodiscard]] BusyWait& wait() const noexcept { return *wait_; }

 private:
  void configure(const SqliteFile& file);
  void close() noexcept;

  std::unique_ptr<BusyWait> wait_ = {};  ///< the handle knows its address
  ::sqlite3* db_ = nullptr;
  std::uint64_t made_in_ = 0;  ///< fork generation
};

}  // namespace holdfast::db
