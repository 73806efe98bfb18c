#pragma once

#include <gtest/gtest.h>
#include <libpq-fe.h>

#include <memory>
#include <string>
#include <vector>

#include "db/postgres_database.hpp"
#include "holdfast/clock.hpp"
#include "support/postgres_server.hpp"
#include "support/thrown.hpp"

namespace holdfast::test {

using RawPostgres = std::unique_ptr<PGconn, decltype(&PQfinish)>;

/// A connection as an application would have it.
inline RawPostgres raw_connection(const std::string& conninfo) {
  return {PQconnectdb(conninfo.c_str()), &PQfinish};
}

/// A database of its own with a connection of ours, and the table `notes (id, body)`.
class PostgresTest : public ::testing::Test {
 protected:
  PostgresTest() { session().execute("create table notes (id bigint primary key, body text)"); }

  [[nodiscard]] db::Connection& session() { return *connection; }

  std::unique_ptr<db::Connection> connect(const std::string& conninfo,
                                          Durability durability = Durability::full) const {
    return db::open_postgres(conninfo, durability, system_clock())->connect(db::Lane::normal);
  }

  /// How many notes a connection of its own sees: what is committed.
  [[nodiscard]] std::int64_t committed_notes() const {
    std::int64_t count = -1;
    connect(database.conninfo())->execute("select count(*) from notes", {}, [&](const Row& row) {
      count = row.integer(0);
    });
    return count;
  }

  FreshPostgres database;
  std::unique_ptr<db::Connection> connection = connect(database.conninfo());
};

}  // namespace holdfast::test
