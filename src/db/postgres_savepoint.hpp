#pragma once

#include <libpq-fe.h>

namespace holdfast::db {

/// A savepoint around one call on a borrowed connection, so that an error inside it leaves the
/// caller's transaction usable. Does nothing outside a transaction. Rolls back to the savepoint
/// unless released.
class Savepoint {
 public:
  /// Throws what a PostgresSession throws for a handle that cannot be used.
  explicit Savepoint(PGconn* connection);
  ~Savepoint();
  Savepoint(const Savepoint&) = delete;
  Savepoint& operator=(const Savepoint&) = delete;

  /// Keeps what was done since. Throws Error.
  void release();

 private:
  PGconn* connection_;
  bool open_ = false;
};

}  // namespace holdfast::db
