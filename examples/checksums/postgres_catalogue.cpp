#include "postgres_catalogue.hpp"

#include <libpq-fe.h>

#include <stdexcept>

#include "job.hpp"

namespace checksums {

namespace {

std::unique_ptr<pg_conn, void (*)(pg_conn*)> connect(const std::string& address) {
  std::unique_ptr<pg_conn, void (*)(pg_conn*)> connection(PQconnectdb(address.c_str()), PQfinish);
  if (PQstatus(connection.get()) != CONNECTION_OK) {
    throw std::runtime_error(PQerrorMessage(connection.get()));
  }
  PQsetNoticeProcessor(
      connection.get(), [](void*, const char*) {}, nullptr);
  return connection;
}

}  // namespace

PostgresCatalogue::PostgresCatalogue(const Place& place)
    : place_(place),
      connection_(connect(place.database)),
      outlet_(connection_.get(), {.schema = place.queue_schema()}) {}

void PostgresCatalogue::create_tables() {
  rows("create schema \"" + place_.run + "\"");
  rows("create table " + place_.table("files") +
       " (id bigint generated always as identity primary key, path text not null, "
       "size bigint not null, job bigint not null unique)");
  rows("create table " + place_.table("effects") +
       " (file_id bigint not null, job bigint not null, digest text not null, "
       "worker text not null, fence bigint not null)");
}

void PostgresCatalogue::drop() {
  rows("drop schema if exists \"" + place_.queue_schema() + "\" cascade");
  rows("drop schema if exists \"" + place_.run + "\" cascade");
}

std::int64_t PostgresCatalogue::add(const FoundFile& file) {
  rows("begin");
  try {
    const std::int64_t job = outlet_.enqueue(HashFile{file.path}).id;
    run("insert into " + place_.table("files") + " (path, size, job) values ($1, $2, $3)",
        {file.path, std::to_string(file.size_bytes), std::to_string(job)});
    rows("commit");
    return job;
  } catch (...) {
    PQclear(PQexec(connection_.get(), "rollback"));
    throw;
  }
}

Catalogue::Rows PostgresCatalogue::rows(const std::string& sql) { return run(sql, {}); }

Catalogue::Rows PostgresCatalogue::run(const std::string& sql,
                                       const std::vector<std::string>& values) {
  std::vector<const char*> pointers;
  for (const std::string& value : values) pointers.push_back(value.c_str());
  const std::unique_ptr<PGresult, void (*)(PGresult*)> result(
      PQexecParams(connection_.get(), sql.c_str(), static_cast<int>(pointers.size()), nullptr,
                   pointers.data(), nullptr, nullptr, 0),
      PQclear);
  const ExecStatusType status = PQresultStatus(result.get());
  if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK) {
    throw std::runtime_error(sql + ": " + PQerrorMessage(connection_.get()));
  }
  Rows rows(static_cast<std::size_t>(PQntuples(result.get())));
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (int column = 0; column < PQnfields(result.get()); ++column) {
      rows[row].emplace_back(PQgetvalue(result.get(), static_cast<int>(row), column));
    }
  }
  return rows;
}

}  // namespace checksums
