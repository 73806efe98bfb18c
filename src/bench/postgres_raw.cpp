#include "bench/postgres_raw.hpp"

#include "holdfast/error.hpp"

namespace holdfast::bench {

namespace {

[[noreturn]] void throw_fault(::PGconn* db) {
  throw Error(Code::storage, std::string("benchmark: ") + PQerrorMessage(db));
}

}  // namespace

PostgresRaw::PostgresRaw(const std::string& conninfo)
    : db_(PQconnectdb(conninfo.c_str()), &PQfinish) {
  if (PQstatus(db_.get()) != CONNECTION_OK) {
    throw Error(Code::disconnected, std::string("benchmark: ") + PQerrorMessage(db_.get()));
  }
  PQsetNoticeProcessor(
      db_.get(), [](void*, const char*) {}, nullptr);
}

PostgresRawResult PostgresRaw::checked(PGresult* result) const {
  PostgresRawResult owned(result, &PQclear);
  const auto status = PQresultStatus(result);
  if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) throw_fault(db_.get());
  return owned;
}

PostgresRawResult PostgresRaw::run(const char* sql) { return checked(PQexec(db_.get(), sql)); }

void PostgresRaw::prepare(const char* name, const char* sql) {
  checked(PQprepare(db_.get(), name, sql, 0, nullptr));
}

PostgresRawResult PostgresRaw::execute(const char* name,
                                       std::initializer_list<const char*> parameters) {
  return checked(PQexecPrepared(db_.get(), name, static_cast<int>(parameters.size()),
                                parameters.begin(), nullptr, nullptr, 0));
}

void PostgresRaw::send(const char* name, std::initializer_list<const char*> parameters) {
  if (PQsendQueryPrepared(db_.get(), name, static_cast<int>(parameters.size()), parameters.begin(),
                          nullptr, nullptr, 0) != 1) {
    throw_fault(db_.get());
  }
}

PostgresRawResult PostgresRaw::next() {
  PostgresRawResult result = checked(PQgetResult(db_.get()));
  PQclear(PQgetResult(db_.get()));  // the end of this statement's answer
  return result;
}

void PostgresRaw::sync() {
  if (PQpipelineSync(db_.get()) != 1) throw_fault(db_.get());
}

void PostgresRaw::synced() {
  const PostgresRawResult result(PQgetResult(db_.get()), &PQclear);
  if (PQresultStatus(result.get()) != PGRES_PIPELINE_SYNC) throw_fault(db_.get());
}

void PostgresRaw::pipeline(bool on) {
  if ((on ? PQenterPipelineMode(db_.get()) : PQexitPipelineMode(db_.get())) != 1) {
    throw_fault(db_.get());
  }
}

}  // namespace holdfast::bench
