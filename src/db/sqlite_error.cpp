#include "db/sqlite_error.hpp"

#include <sqlite3.h>

#include <cerrno>
#include <string>

namespace holdfast::db {

namespace {

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> starts) {
  for (const auto start : starts) {
    if (text.starts_with(start)) return true;
  }
  return false;
}

/// SQLite reports some full disks and quotas as plain I/O errors.
bool out_of_space(::sqlite3* db, int result) {
  if ((result & 0xff) != SQLITE_IOERR) return false;
  const int cause = sqlite3_system_errno(db);
  return cause == ENOSPC || cause == EDQUOT;
}

/// A transaction that has read cannot wait for another writer, and SQLite asks no busy handler: by
/// the time the other one is done, what was read is old.
bool too_late_to_wait(::sqlite3* db, int result) {
  return (result & 0xff) == SQLITE_BUSY && sqlite3_get_autocommit(db) == 0 &&
         sqlite3_txn_state(db, "main") == SQLITE_TXN_READ;
}

/// SQLITE_ERROR covers everything from a missing table to a syntax error; the text tells them
/// apart.
Code code_of_logic_error(std::string_view message, std::string_view statement) {
  if (starts_with_any(message, {"no such table", "no such view"})) return Code::schema;
  if (statement.empty()) return Code::misuse;
  const bool other_version = starts_with_any(message, {"no such column", "no such index"}) ||
                             message.find(" has no column named ") != std::string_view::npos;
  return other_version ? Code::schema : Code::internal;
}

std::string file_of(::sqlite3* db) {
  const char* file = sqlite3_db_filename(db, "main");
  return file == nullptr || *file == '\0' ? "the database" : file;
}

/// The rule that refused a value: the bare name of a check, SQLite's words for the rest.
std::string rule_of(std::string_view message) {
  constexpr std::string_view check = "CHECK constraint failed: ";
  if (message.starts_with(check)) message.remove_prefix(check.size());
  return std::string(message);
}

std::string schema_text(const std::string& message, std::string_view statement) {
  if (statement.empty()) return message;
  if (starts_with_any(message, {"no such table", "no such view"})) {
    return "not a Holdfast database (or not initialised): run `holdfast init` (" + message + ")";
  }
  return "the tables are of another version: run `holdfast migrate` (" + message + ")";
}

std::string storage_text(::sqlite3* db, int result, const std::string& message) {
  std::string text = file_of(db) + ": " + message;
  const int cause = sqlite3_system_errno(db);
  const int primary = result & 0xff;
  if (cause != 0 && (primary == SQLITE_IOERR || primary == SQLITE_CANTOPEN)) {
    text += " (" + std::string(sqlite3_errstr(result)) + ", errno " + std::to_string(cause) + ")";
  }
  return text;
}

std::string text_of(::sqlite3* db, int result, Code code, std::string_view statement) {
  const std::string message = sqlite3_errmsg(db);
  switch (code) {
    case Code::busy:
      return "another writer held the database too long; try again (" + message + ")";
    case Code::restart:
      return "another one writes or wrote after this transaction had read: roll back and begin the "
             "transaction again (with begin immediate it waits for its turn instead)";
    case Code::read_only:
      return file_of(db) + " cannot be written: check the permissions of the file and its " +
             "directory (" + message + ")";
    case Code::storage_full:
      return "no space left for " + file_of(db) + "; nothing was written (" + message + ")";
    case Code::corrupt:
      return file_of(db) + " is damaged: stop writing to it and restore a copy (" + message + ")";
    case Code::constraint: return rule_of(message);
    case Code::schema:
      if ((result & 0xff) == SQLITE_NOTADB) return file_of(db) + " is not a SQLite database";
      return schema_text(message, statement);
    case Code::storage: return storage_text(db, result, message);
    default: return message;
  }
}

}  // namespace

Code code_of(int result) noexcept {
  if (result == SQLITE_BUSY_SNAPSHOT) return Code::restart;
  switch (result & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:  // many processes opened a WAL at the same moment
      return Code::busy;
    case SQLITE_READONLY: return Code::read_only;
    case SQLITE_FULL: return Code::storage_full;
    case SQLITE_CORRUPT: return Code::corrupt;
    case SQLITE_NOTADB: return Code::schema;
    case SQLITE_CONSTRAINT:
    case SQLITE_MISMATCH: return Code::constraint;
    case SQLITE_TOOBIG: return Code::invalid;
    case SQLITE_MISUSE:
    case SQLITE_AUTH: return Code::misuse;
    case SQLITE_RANGE: return Code::internal;
    default: return Code::storage;
  }
}

Error error_of(::sqlite3* db, std::string_view statement) {
  const int result = sqlite3_extended_errcode(db);
  Code code = code_of(result);
  if ((result & 0xff) == SQLITE_ERROR) code = code_of_logic_error(sqlite3_errmsg(db), statement);
  if (too_late_to_wait(db, result)) code = Code::restart;
  if (out_of_space(db, result)) code = Code::storage_full;
  return Error(code, text_of(db, result, code, statement), std::string(statement));
}

}  // namespace holdfast::db
