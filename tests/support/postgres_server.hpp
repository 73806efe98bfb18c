#pragma once

#include <memory>
#include <string>
#include <vector>

#include "support/server_directory.hpp"
#include "support/unprivileged_process.hpp"

namespace holdfast::test {

struct PostgresServerOptions {
  bool loopback = false;           ///< also listen on 127.0.0.1, at a free port
  Medium medium = Medium::memory;  ///< benchmarks and power-loss tests want the disk
  std::string encoding = "UTF8";
  std::vector<std::string> settings = {};  ///< `name=value`
};

/// A private PostgreSQL with a data directory of its own, reached by a unix socket. fsync stays on,
/// because the library refuses a server without it. Never uses a server that it finds. Throws
/// std::runtime_error with the end of the server's log when it does not come up.
///
/// Start it from the main thread: it ends with the thread that started it.
class PostgresServer {
 public:
  explicit PostgresServer(PostgresServerOptions options = {});
  ~PostgresServer();

  /// Starts it, and waits until it takes connections.
  void start();

  /// Ends it: `fast` rolls open transactions back, `immediate` leaves recovery to the next start.
  enum class Stop { fast, immediate };
  void stop(Stop how = Stop::fast);

  void restart() {
    stop();
    start();
  }

  /// kill -9 of the postmaster and its backends: no answer, no goodbye.
  void crash();

  /// libpq's connection string; of the unix socket unless `loopback` is asked for.
  [[nodiscard]] std::string conninfo(const std::string& database = "postgres") const;
  [[nodiscard]] std::string loopback_conninfo(const std::string& database = "postgres") const;
  [[nodiscard]] std::string socket_directory() const { return directory_.path(); }
  [[nodiscard]] int port() const noexcept { return port_; }
  [[nodiscard]] std::string socket_path() const;

  /// Runs SQL in a database as superuser, for arranging a test.
  void execute(const std::string& sql, const std::string& database = "postgres") const;

 private:
  void initialise();
  void launch();
  [[nodiscard]] bool came_up();
  [[noreturn]] void give_up(const std::string& what) const;

  PostgresServerOptions options_;
  ServerDirectory directory_;
  int port_ = 5432;  ///< of the socket's name too; the directory is ours alone
  bool crashed_ = false;
  std::unique_ptr<UnprivilegedProcess> process_;
};

/// The server that the tests of this program share: started by the first that asks, stopped when
/// the program ends. Ask from the main thread.
[[nodiscard]] PostgresServer& shared_postgres();

/// An empty database on the shared server (or another), dropped with its connections at the end.
/// The server must run then.
class FreshPostgres {
 public:
  explicit FreshPostgres(const PostgresServer& server = shared_postgres());
  ~FreshPostgres();
  FreshPostgres(const FreshPostgres&) = delete;
  FreshPostgres& operator=(const FreshPostgres&) = delete;

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] std::string conninfo() const { return server_.conninfo(name_); }

 private:
  const PostgresServer& server_;
  std::string name_;
};

}  // namespace holdfast::test
