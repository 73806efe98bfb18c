#include "db/postgres_session.hpp"

#include <charconv>
#include <string>

#include "base/fork.hpp"
#include "db/postgres_arrays.hpp"
#include "db/postgres_error.hpp"
#include "db/postgres_params.hpp"
#include "db/postgres_row.hpp"
#include "holdfast/error.hpp"

namespace holdfast::db {

namespace {

constexpr std::size_t chunk_rows_max = 10'000;
constexpr std::size_t chunk_bytes_max = std::size_t{64} << 20;
constexpr std::size_t alone_bytes_max = std::size_t{512} << 20;

/// A lone select changed nothing that matters: when its answer is lost it can simply be repeated.
bool reads_only(std::string_view sql) {
  const auto start = sql.find_first_not_of(" \t\r\n");
  return start != std::string_view::npos && sql.substr(start, 6) == "select";
}

/// The count of the command tag; 0 for commands that have none.
std::int64_t rows_of(PGresult* result) {
  const std::string_view text = PQcmdTuples(result);
  std::int64_t rows = 0;
  std::from_chars(text.data(), text.data() + text.size(), rows);
  return rows;
}

void require_encoding(PGconn* connection) {
  const char* encoding = PQparameterStatus(connection, "client_encoding");
  if (encoding != nullptr && std::string_view(encoding) != "UTF8") {
    throw Error(Code::misuse, std::string("client_encoding must be UTF8 and is ") + encoding);
  }
}

void require_transaction_state(PGconn* connection) {
  switch (PQtransactionStatus(connection)) {
    case PQTRANS_IDLE:
    case PQTRANS_INTRANS: return;
    case PQTRANS_INERROR:
      throw Error(Code::misuse, "the transaction was aborted by an earlier error; roll back");
    case PQTRANS_ACTIVE:
      throw Error(Code::misuse, "the connection is busy with another command or in COPY mode");
    case PQTRANS_UNKNOWN: break;
  }
  throw Error(Code::disconnected, "the connection to PostgreSQL is lost");
}

}  // namespace

void require_usable(PGconn* connection) {
  if (connection == nullptr || PQstatus(connection) != CONNECTION_OK) {
    throw Error(Code::disconnected, "the connection to PostgreSQL is lost");
  }
  if (PQpipelineStatus(connection) != PQ_PIPELINE_OFF) {
    throw Error(Code::misuse, "the connection is in pipeline mode; leave it first");
  }
  require_transaction_state(connection);
  require_encoding(connection);
}

PostgresSession::PostgresSession(PGconn* connection)
    : connection_(connection), generation_(base::fork_generation()) {}

bool PostgresSession::forked() const noexcept { return base::fork_generation() != generation_; }

std::int64_t PostgresSession::run(const Statement& statement, Params params, const RowSink& sink) {
  const Sent sent = prepare(statement.name, statement.sql);
  return run_text(sent, statement.sql.c_str(), params, sink);
}

std::int64_t PostgresSession::execute(std::string_view sql, Params params, const RowSink& sink) {
  const Sent sent = prepare({}, sql);
  return run_text(sent, std::string(sql).c_str(), params, sink);
}

std::int64_t PostgresSession::run_many(const Statement& statement, const Batch& batch,
                                       const RowSink& sink) {
  const Sent sent = prepare(statement.name, statement.sql);
  const std::size_t rows_max = sent.alone ? batch.size() : chunk_rows_max;
  const std::size_t bytes_max = sent.alone ? alone_bytes_max : chunk_bytes_max;
  std::int64_t rows = 0;
  for (std::size_t next = 0; next < batch.size();) {
    const ArrayParams arrays(batch, next, rows_max, bytes_max, statement.name);
    next = arrays.next();
    if (sent.alone && next < batch.size()) {
      throw Error(Code::misuse, "a batch over 512 MiB needs a transaction around it",
                  std::string(statement.name));
    }
    PostgresResult result(PQexecParams(connection_, statement.sql.c_str(), arrays.count(),
                                       arrays.types(), arrays.values(), arrays.lengths(),
                                       arrays.formats(), 0));
    rows += answer(std::move(result), sent, sink);
  }
  return rows;
}

void PostgresSession::script(std::string_view sql) {
  const Sent sent = prepare({}, sql);
  PostgresResult result(PQexec(connection_, std::string(sql).c_str()));
  static_cast<void>(answer(std::move(result), sent, RowSink{}));
}

PostgresSession::Sent PostgresSession::prepare(std::string_view name, std::string_view sql) const {
  if (forked()) {
    throw Error(Code::forked, "this connection was made before fork(); open one in the child",
                std::string(name));
  }
  require_usable(connection_);
  return {name, sql, PQtransactionStatus(connection_) == PQTRANS_IDLE};
}

std::int64_t PostgresSession::run_text(const Sent& sent, const char* sql, Params params,
                                       const RowSink& sink) {
  const TextParams texts(params, sent.name);
  PostgresResult result(
      PQexecParams(connection_, sql, texts.count(), nullptr, texts.values(), nullptr, nullptr, 0));
  return answer(std::move(result), sent, sink);
}

std::int64_t PostgresSession::answer(PostgresResult result, const Sent& sent, const RowSink& sink) {
  switch (PQresultStatus(result.get())) {
    case PGRES_COMMAND_OK:
    case PGRES_EMPTY_QUERY: return rows_of(result.get());
    case PGRES_TUPLES_OK: break;
    case PGRES_COPY_IN:
    case PGRES_COPY_OUT: leave_copy(sent);
    default: fail(result.get(), sent);
  }
  if (sink) {
    const int rows = PQntuples(result.get());
    for (int row = 0; row < rows; ++row) sink(PostgresRow(result.get(), row, sent.name));
  }
  return rows_of(result.get());
}

void PostgresSession::fail(const PGresult* result, const Sent& sent) {
  Error error = error_of(connection_, result, sent.name);
  if (error.code() == Code::disconnected && sent.alone && !reads_only(sent.sql)) {
    throw Error(Code::in_doubt, error.what(), error.statement());
  }
  throw error;
}

/// COPY leaves the handle waiting for data that nobody will send: it is ended before we complain.
void PostgresSession::leave_copy(const Sent& sent) {
  PQputCopyEnd(connection_, "not supported here");
  char* data = nullptr;
  while (PQgetCopyData(connection_, &data, 0) > 0) PQfreemem(data);
  while (PostgresResult rest{PQgetResult(connection_)}) continue;
  throw Error(Code::misuse, "COPY cannot be run through a session", std::string(sent.name));
}

}  // namespace holdfast::db
