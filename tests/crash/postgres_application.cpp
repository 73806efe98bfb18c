#ifdef HOLDFAST_WITH_POSTGRES
#include "crash/postgres_application.hpp"

#include <libpq-fe.h>
#include <unistd.h>

#include <memory>
#include <stdexcept>

namespace holdfast::test {

PostgresApplication::PostgresApplication(const std::string& conninfo)
    : owner_(::getpid()), connection_(PQconnectdb(conninfo.c_str())) {
  if (PQstatus(connection_) != CONNECTION_OK) {
    const std::string text = PQerrorMessage(connection_);
    PQfinish(connection_);
    throw std::runtime_error(text);
  }
  PQsetNoticeProcessor(
      connection_, [](void*, const char*) {}, nullptr);
}

PostgresApplication::~PostgresApplication() {
  outlet_.reset();
  if (owner_ == ::getpid()) PQfinish(connection_);
}

Application::Rows PostgresApplication::rows(const std::string& sql) {
  const std::unique_ptr<PGresult, decltype(&PQclear)> result(PQexec(connection_, sql.c_str()),
                                                             &PQclear);
  const ExecStatusType status = PQresultStatus(result.get());
  if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK) {
    throw std::runtime_error(sql + ": " + PQerrorMessage(connection_));
  }
  Rows rows(static_cast<std::size_t>(PQntuples(result.get())));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const int row = static_cast<int>(i);
    for (int column = 0; column < PQnfields(result.get()); ++column) {
      const bool is_null = PQgetisnull(result.get(), row, column) == 1;
      rows[i].emplace_back(is_null ? "null" : PQgetvalue(result.get(), row, column));
    }
  }
  return rows;
}

Enqueued PostgresApplication::enqueue(const NewJob& job) {
  if (!outlet_) outlet_.emplace(connection_);
  return outlet_->enqueue(job);
}

std::string PostgresApplication::queue(const std::string& table) const {
  return "holdfast." + table;
}

}  // namespace holdfast::test
#endif
