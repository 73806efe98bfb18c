#pragma once

#include <cstdio>
#include <exception>
#include <functional>
#include <memory>
#include <string>

#include "answer.hpp"
#include "bench/ground.hpp"
#include "support/postgres_server.hpp"
#include "support/temporary_directory.hpp"

namespace holdfast::bench {

/// Both databases on the same real disk: a directory for SQLite, and a private PostgreSQL.
class Arena {
 public:
  Arena() : server_(options()) {
    sqlite_ = sqlite_ground(directory_.path().string());
    postgres_ = postgres_ground(server_.conninfo());
  }

  [[nodiscard]] Ground& sqlite() { return *sqlite_; }
  [[nodiscard]] Ground& postgres() { return *postgres_; }
  [[nodiscard]] std::string conninfo() const { return server_.conninfo(); }

  /// The same question on both; `name` begins what is printed, `key` the names in JSON.
  void on_both(
      const std::function<void(Ground&, const std::string& name, const std::string& key)>& ask) {
    ask(sqlite(), "SQLite", "sqlite");
    ask(postgres(), "PostgreSQL", "postgres");
  }

 private:
  static test::PostgresServerOptions options() {
    test::PostgresServerOptions options;
    options.medium = test::Medium::disk;
    // What a server has by default, and memory for what is measured.
    options.settings = {"shared_buffers=512MB", "max_wal_size=1GB", "max_connections=100"};
    return options;
  }

  test::TemporaryDirectory directory_;
  test::PostgresServer server_;
  std::unique_ptr<Ground> sqlite_;
  std::unique_ptr<Ground> postgres_;
};

/// Runs a program of this folder; says what ended it.
inline int run_program(const std::function<void()>& program) {
  try {
    program();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

/// What a program does that asks the same on both databases, and prints what it was answered.
template <class Ask>
int ask_both(Answer& answer, Ask ask) {
  const int status = run_program([&] {
    Arena arena;
    arena.on_both([&](Ground& ground, const std::string& name, const std::string& key) {
      ask(ground, name, key, answer);
    });
  });
  answer.print();
  return status;
}

}  // namespace holdfast::bench
