#pragma once

#include <libpq-fe.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace holdfast::db {

/// Ends a connection, but only in the process that made it: in a forked child PQfinish would send
/// a goodbye on the socket that the parent still uses. The child leaks a little memory instead.
struct FinishConnection {
  std::uint64_t generation = 0;  ///< base::fork_generation() of that process
  void operator()(PGconn* connection) const noexcept;
};
using PostgresHandle = std::unique_ptr<PGconn, FinishConnection>;

/// Where a PostgreSQL database is and how to get there: libpq's parameters, parsed once.
/// Immutable, safe to use from any thread.
class PostgresAddress {
 public:
  /// Throws Error(invalid) when libpq cannot read it, without repeating it: it may hold a password.
  explicit PostgresAddress(const std::string& conninfo);

  /// `host:port/dbname`, for messages.
  [[nodiscard]] std::string name() const;

  /// Connects, with UTF8 as client encoding. Waits `connect_timeout` for each host (5 s unless
  /// given); a peer that disappears later is noticed within about 15 s. Throws Error(disconnected)
  /// with libpq's message, passwords masked.
  [[nodiscard]] PostgresHandle dial() const;

 private:
  using Parameters = std::map<std::string, std::string, std::less<>>;

  [[nodiscard]] std::string given(std::string_view keyword) const;
  [[nodiscard]] std::string masked(std::string text) const;

  Parameters given_;
};

}  // namespace holdfast::db
