#pragma once

#include <memory>
#include <string>

#include "support/postgres_server.hpp"

namespace holdfast::test {

/// pgbouncer in transaction mode in front of a private server, on a unix socket of its own: two
/// transactions of one client may run on two server connections. Ends with the thread that made it.
class PgBouncer {
 public:
  explicit PgBouncer(const PostgresServer& server, int pool_size = 4);

  [[nodiscard]] std::string conninfo(const std::string& database = "postgres") const;

 private:
  void write_configuration(const PostgresServer& server, int pool_size) const;
  void wait_until_ready();

  ServerDirectory directory_;
  std::unique_ptr<UnprivilegedProcess> process_;
};

}  // namespace holdfast::test
