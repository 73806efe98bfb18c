#pragma once

#include <chrono>

struct sqlite3;

namespace holdfast::db {

/// Copies the log of a WAL database back into its file, when the log has grown. SQLite would do so
/// inside the commit that passes 1,000 pages; here it is a step of its own after the commit, so
/// that the time in which others can write is known, and the lease keeper is spared it. It comes a
/// little sooner than on ordinary connections, so that a commit of the application rarely has to do
/// it.
///
/// Always PASSIVE: waits for nobody and never takes the write lock. What a reader holds back is
/// asked for again once a second. One connection's, on its thread.
class SqliteCheckpoint {
 public:
  SqliteCheckpoint() = default;
  SqliteCheckpoint(const SqliteCheckpoint&) = delete;
  SqliteCheckpoint& operator=(const SqliteCheckpoint&) = delete;

  /// From now on commits on `db` are noticed. Must then live as long as `db`.
  void install(::sqlite3* db);

  /// After a commit: whether it is time.
  [[nodiscard]] bool is_due();

  /// A failure is left to the next time, as SQLite does.
  void run(::sqlite3* db);

  /// Pages in the log that make a checkpoint.
  static constexpr int pages_max = 800;

 private:
  int pages_ = 0;  ///< in the log after the last commit of this connection; 0 once looked at
  std::chrono::steady_clock::time_point held_until_{};  ///< a reader held the last one back
};

}  // namespace holdfast::db
