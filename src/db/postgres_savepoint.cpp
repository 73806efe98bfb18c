#include "db/postgres_savepoint.hpp"

#include "db/postgres_result.hpp"
#include "db/postgres_session.hpp"

namespace holdfast::db {

Savepoint::Savepoint(PGconn* connection) : connection_(connection) {
  require_usable(connection_);
  if (PQtransactionStatus(connection_) != PQTRANS_INTRANS) return;
  PostgresSession(connection_).script("savepoint holdfast_call");
  open_ = true;
}

Savepoint::~Savepoint() {
  if (!open_ || PQstatus(connection_) != CONNECTION_OK) return;
  PostgresResult(
      PQexec(connection_, "rollback to savepoint holdfast_call; release savepoint holdfast_call"));
}

void Savepoint::release() {
  if (!open_) return;
  PostgresSession(connection_).script("release savepoint holdfast_call");
  open_ = false;
}

}  // namespace holdfast::db
