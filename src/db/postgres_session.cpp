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

bool is_copy(const PGresult* result) {
  const auto status = PQresultStatus(result);
  return status == PGRES_COPY_IN || status == PGRES_COPY_OUT || status == PGRES_COPY_BOTH;
}

/// Pipeline mode for as long as it lives; what was not read is read and dropped at its end.
class Pipeline {
 public:
  explicit Pipeline(PGconn* connection) : connection_(connection) {
    PQenterPipelineMode(connection_);
  }
  ~Pipeline() {
    // In this mode each statement's results end with a null, and the last of all is the sync's.
    int nulls = 0;
    while (nulls < 2 && PQexitPipelineMode(connection_) == 0) {
      const PostgresResult rest(PQgetResult(connection_));
      nulls = rest ? 0 : nulls + 1;
    }
  }
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  /// The result of the next statement.
  [[nodiscard]] PostgresResult next() const {
    PostgresResult result(PQgetResult(connection_));
    if (result) const PostgresResult end(PQgetResult(connection_));
    return result;
  }

 private:
  PGconn* connection_;
};

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
  const bool keep = statement.plan != Plan::fresh && statement.plan <= keeps_;
  if (keep) return run_kept(sent, statement, params, sink);
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
    rows += answer(exchange([&] {
                     return PQsendQueryParams(connection_, statement.sql.c_str(), arrays.count(),
                                              arrays.types(), arrays.values(), arrays.lengths(),
                                              arrays.formats(), 0);
                   }),
                   sent, sink);
  }
  return rows;
}

void PostgresSession::script(std::string_view sql) {
  const Sent sent = prepare({}, sql);
  if (begin_) begin();
  PostgresResult result(PQexec(connection_, std::string(sql).c_str()));
  static_cast<void>(answer(std::move(result), sent, RowSink{}));
}

PostgresSession::Sent PostgresSession::prepare(std::string_view name, std::string_view sql) const {
  if (forked()) {
    throw Error(Code::forked, "this connection was made before fork(); open one in the child",
                std::string(name));
  }
  require_usable(connection_);
  return {name, sql, !begin_ && PQtransactionStatus(connection_) == PQTRANS_IDLE};
}

void PostgresSession::begin() {
  const auto statements = *std::exchange(begin_, std::nullopt);
  for (const char* sql : statements) {
    if (sql == nullptr) continue;
    const PostgresResult result(PQexec(connection_, sql));
    if (PQresultStatus(result.get()) != PGRES_COMMAND_OK) {
      throw error_of(connection_, result.get(), "begin");
    }
  }
}

/// Sends one statement, with what begins its transaction if that is still to be sent, and waits for
/// its result.
template <class Send>
PostgresResult PostgresSession::exchange(Send send) {
  if (begin_) return exchange_with_begin(send);
  PostgresResult last;
  if (send() == 0) return last;
  while (PostgresResult next{PQgetResult(connection_)}) {
    last = std::move(next);
    if (is_copy(last.get())) break;
  }
  return last;
}

template <class Send>
PostgresResult PostgresSession::exchange_with_begin(Send send) {
  const auto statements = *std::exchange(begin_, std::nullopt);
  const Pipeline pipeline(connection_);
  int before = 0;
  for (const char* sql : statements) {
    if (sql == nullptr) continue;
    if (PQsendQueryParams(connection_, sql, 0, nullptr, nullptr, nullptr, nullptr, 0) == 0)
      return {};
    ++before;
  }
  if (send() == 0 || PQpipelineSync(connection_) == 0) return {};
  for (; before > 0; --before) {
    const PostgresResult begun = pipeline.next();
    if (PQresultStatus(begun.get()) != PGRES_COMMAND_OK) {
      throw error_of(connection_, begun.get(), "begin");
    }
  }
  return pipeline.next();
}

std::int64_t PostgresSession::run_kept(const Sent& sent, const Statement& statement, Params params,
                                       const RowSink& sink) {
  const std::string name(statement.name);
  const TextParams texts(params, sent.name);
  if (!kept_.contains(&statement)) {
    if (begin_) begin();
    const PostgresResult result(
        PQprepare(connection_, name.c_str(), statement.sql.c_str(), 0, nullptr));
    if (PQresultStatus(result.get()) != PGRES_COMMAND_OK) fail(result.get(), sent);
    kept_.insert(&statement);
  }
  return answer(exchange([&] {
                  return PQsendQueryPrepared(connection_, name.c_str(), texts.count(),
                                             texts.values(), nullptr, nullptr, 0);
                }),
                sent, sink);
}

std::int64_t PostgresSession::run_text(const Sent& sent, const char* sql, Params params,
                                       const RowSink& sink) {
  const TextParams texts(params, sent.name);
  return answer(exchange([&] {
                  return PQsendQueryParams(connection_, sql, texts.count(), nullptr, texts.values(),
                                           nullptr, nullptr, 0);
                }),
                sent, sink);
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
