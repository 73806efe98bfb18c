#include "crash/application.hpp"

#include <stdexcept>

#include "crash/sqlite_application.hpp"
#include "holdfast/sqlite.hpp"
#ifdef HOLDFAST_WITH_POSTGRES
#include "crash/postgres_application.hpp"
#include "holdfast/postgres.hpp"
#endif

namespace holdfast::test {

namespace {

const std::string sqlite_prefix = "sqlite:";
const std::string postgres_prefix = "postgres:";

}  // namespace

void Application::create_tables() {
  rows("create table orders (name text primary key, job bigint not null)");
  rows("create table effects (job bigint not null, fence bigint not null, worker text not null)");
}

std::int64_t Application::number(const std::string& sql) {
  return std::stoll(rows(sql).at(0).at(0));
}

std::unique_ptr<Application> open_application(const std::string& database) {
#ifdef HOLDFAST_WITH_POSTGRES
  if (database.starts_with(postgres_prefix)) {
    return std::make_unique<PostgresApplication>(database.substr(postgres_prefix.size()));
  }
#endif
  return std::make_unique<SqliteApplication>(database.substr(sqlite_prefix.size()));
}

Store open_store(const std::string& database) {
#ifdef HOLDFAST_WITH_POSTGRES
  if (database.starts_with(postgres_prefix)) {
    return postgres::open(database.substr(postgres_prefix.size()));
  }
#endif
  return sqlite::open(database.substr(sqlite_prefix.size()));
}

}  // namespace holdfast::test
