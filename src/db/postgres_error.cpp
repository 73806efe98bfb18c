#include "db/postgres_error.hpp"

#include <algorithm>
#include <array>

#include "db/connection.hpp"

namespace holdfast::db {

namespace {

struct Meaning {
  std::string_view prefix;  ///< of the SQLSTATE: all five characters, or its class
  Code code;
};

constexpr std::array meanings = {
    Meaning{"40001", Code::restart},       // serialization_failure
    Meaning{"40P01", Code::restart},       // deadlock_detected
    Meaning{"55P03", Code::busy},          // lock_not_available
    Meaning{"57014", Code::busy},          // query_canceled: somebody's timeout
    Meaning{"08", Code::disconnected},     // connection exceptions, a pooler's errors
    Meaning{"57P01", Code::disconnected},  // admin_shutdown
    Meaning{"57P02", Code::disconnected},  // crash_shutdown
    Meaning{"57P03", Code::disconnected},  // cannot_connect_now
    Meaning{"57P05", Code::disconnected},  // idle_session_timeout
    Meaning{"25P03", Code::disconnected},  // idle_in_transaction_session_timeout
    Meaning{"25P02", Code::misuse},        // in_failed_sql_transaction
    Meaning{"53100", Code::storage_full},  // disk_full
    Meaning{"53200", Code::storage_full},  // out_of_memory
    Meaning{"25006", Code::read_only},     // read_only_sql_transaction
    Meaning{"22", Code::constraint},       // data exceptions
    Meaning{"23", Code::constraint},       // integrity constraints and domain checks
    Meaning{"42P01", Code::schema},        // undefined_table
    Meaning{"3F000", Code::schema},        // invalid_schema_name
    Meaning{"42883", Code::schema},        // undefined_function
    Meaning{"42703", Code::schema},        // undefined_column
    Meaning{"XX001", Code::corrupt},       // data_corrupted
    Meaning{"XX002", Code::corrupt},       // index_corrupted
};

std::string_view field(const PGresult* result, int code) noexcept {
  const char* text = result == nullptr ? nullptr : PQresultErrorField(result, code);
  return text == nullptr ? std::string_view{} : std::string_view{text};
}

/// The server says "no partition" in its own language; what identifies it is a check violation of
/// a table without a constraint.
bool lacks_partition(const PGresult* result) {
  return sqlstate_of(result) == "23514" && field(result, PG_DIAG_CONSTRAINT_NAME).empty() &&
         field(result, PG_DIAG_TABLE_NAME) == "history";
}

/// Our constraints are named with sentences; a name without a space is an application's own, and
/// then the server's message says more.
std::string rule_of(const PGresult* result) {
  const auto name = field(result, PG_DIAG_CONSTRAINT_NAME);
  if (name.find(' ') != std::string_view::npos) return std::string(name);
  return std::string(field(result, PG_DIAG_MESSAGE_PRIMARY));
}

std::string text_of(PGconn* connection, const PGresult* result, Code code,
                    std::string_view statement) {
  if (field(result, PG_DIAG_MESSAGE_PRIMARY).empty()) return one_line(PQerrorMessage(connection));
  if (lacks_partition(result)) return std::string(no_history_partition);
  if (code == Code::schema && !statement.empty()) {
    return "not a Holdfast database (or not initialised): run `holdfast init`";
  }
  return rule_of(result);
}

}  // namespace

Code code_of(std::string_view sqlstate) noexcept {
  const auto* found = std::ranges::find_if(
      meanings, [&](const Meaning& meaning) { return sqlstate.starts_with(meaning.prefix); });
  return found == meanings.end() ? Code::storage : found->code;
}

std::string_view sqlstate_of(const PGresult* result) noexcept {
  return field(result, PG_DIAG_SQLSTATE);
}

Error error_of(PGconn* connection, const PGresult* result, std::string_view statement) {
  const auto sqlstate = sqlstate_of(result);
  const bool lost = PQstatus(connection) != CONNECTION_OK;
  const Code code = lost ? Code::disconnected : code_of(sqlstate);
  std::string text = text_of(connection, result, code, statement);
  if (!sqlstate.empty()) text += " [" + std::string(sqlstate) + "]";
  return Error(code, text, std::string(statement));
}

std::string one_line(const char* message) {
  std::string text = message == nullptr ? "" : message;
  while (!text.empty() && text.back() == '\n') text.pop_back();
  std::ranges::replace(text, '\n', ' ');
  return text;
}

}  // namespace holdfast::db
