#include "db/postgres_commit.hpp"

#include <optional>
#include <string_view>

#include "db/postgres_error.hpp"
#include "db/postgres_result.hpp"

namespace holdfast::db {

namespace {

/// An error that only a server with this transaction at hand can have sent. A shutdown may be
/// reported after the commit, and a pooler reports a lost server as class 08 without a severity
/// that is independent of the language.
bool refuses_commit(const PGresult* result) {
  const char* severity = PQresultErrorField(result, PG_DIAG_SEVERITY_NONLOCALIZED);
  return severity != nullptr && std::string_view(severity) == "ERROR" &&
         code_of(sqlstate_of(result)) != Code::disconnected;
}

std::optional<Committed> verdict_of(PGresult* result) {
  if (PQresultStatus(result) == PGRES_COMMAND_OK) {
    return std::string_view(PQcmdStatus(result)) == "COMMIT" ? Committed::yes : Committed::no;
  }
  if (refuses_commit(result)) return Committed::no;
  return std::nullopt;
}

}  // namespace

/// Reads result by result, because PQexec would hide a COMMIT that a shutdown message follows.
Committed send_commit(PGconn* connection) {
  if (PQstatus(connection) != CONNECTION_OK) return Committed::no;
  if (PQsendQuery(connection, "commit") == 0) return Committed::in_doubt;
  std::optional<Committed> verdict;
  while (const PostgresResult result{PQgetResult(connection)}) {
    if (!verdict) verdict = verdict_of(result.get());
  }
  return verdict.value_or(Committed::in_doubt);
}

}  // namespace holdfast::db
