#include "db/sqlite_statement.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

#include "db/sqlite_error.hpp"
#include "db/sqlite_row.hpp"
#include "holdfast/error.hpp"

namespace holdfast::db {

namespace {

/// Resets a statement when its run ends, however it ends: a statement left open would keep a
/// snapshot, and its parameters point to text that is about to go.
class Running {
 public:
  explicit Running(::sqlite3_stmt* handle) : handle_(handle) {}
  ~Running() {
    sqlite3_reset(handle_);
    sqlite3_clear_bindings(handle_);
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

 private:
  ::sqlite3_stmt* handle_;
};

/// The N of `$N`; 0 when the parameter is called anything else.
std::size_t number_of(const char* parameter) {
  if (parameter == nullptr || *parameter != '$') return 0;
  const std::string_view digits(parameter + 1);
  std::size_t number = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return read.ptr == digits.data() + digits.size() ? number : 0;
}

int bind_one(::sqlite3_stmt* handle, int index, const Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    return sqlite3_bind_int64(handle, index, *integer);
  }
  if (const auto* real = std::get_if<double>(&value)) {
    return sqlite3_bind_double(handle, index, *real);
  }
  if (const auto* text = std::get_if<std::string_view>(&value)) {
    // A null pointer would bind null, and an empty view may hold one.
    const char* data = text->data() == nullptr ? "" : text->data();
    return sqlite3_bind_text64(handle, index, data, text->size(), SQLITE_STATIC, SQLITE_UTF8);
  }
  return sqlite3_bind_null(handle, index);
}

/// Rows changed by the statement that just ended. sqlite3_changes alone still tells the number of
/// the statement before when this one was no insert, update or delete, and does not count what
/// `instead of` triggers did.
std::int64_t rows_changed(::sqlite3* db, sqlite3_int64 total_before) {
  const sqlite3_int64 with_triggers = sqlite3_total_changes64(db) - total_before;
  if (with_triggers == 0) return 0;
  const sqlite3_int64 direct = sqlite3_changes64(db);
  return direct > 0 ? direct : with_triggers;
}

}  // namespace

SqliteStatement::SqliteStatement(::sqlite3* db, std::string_view& sql, std::string_view name,
                                 Life life)
    : db_(db), name_(name) {
  const unsigned flags = life == Life::cached ? SQLITE_PREPARE_PERSISTENT : 0;
  const char* rest = nullptr;
  const int result = sqlite3_prepare_v3(db, sql.data() == nullptr ? "" : sql.data(),
                                        static_cast<int>(sql.size()), flags, &handle_, &rest);
  if (result != SQLITE_OK) throw error_of(db, name);
  sql.remove_prefix(handle_ == nullptr ? sql.size() : static_cast<std::size_t>(rest - sql.data()));
  try {
    read_parameters();
  } catch (...) {
    sqlite3_finalize(handle_);
    throw;
  }
}

SqliteStatement::~SqliteStatement() { sqlite3_finalize(handle_); }

SqliteStatement::SqliteStatement(SqliteStatement&& other) noexcept
    : db_(other.db_),
      handle_(std::exchange(other.handle_, nullptr)),
      name_(other.name_),
      numbers_(std::move(other.numbers_)),
      params_needed_(other.params_needed_) {}

SqliteStatement& SqliteStatement::operator=(SqliteStatement&& other) noexcept {
  std::swap(db_, other.db_);
  std::swap(handle_, other.handle_);
  std::swap(name_, other.name_);
  std::swap(numbers_, other.numbers_);
  std::swap(params_needed_, other.params_needed_);
  return *this;
}

std::int64_t SqliteStatement::run(Params params, const RowSink& sink) {
  if (sqlite3_stmt_busy(handle_) != 0) {
    throw Error(Code::misuse, "a sink must not run its own statement again", std::string(name_));
  }
  const Running running(handle_);
  bind(params);
  const sqlite3_int64 total_before = sqlite3_total_changes64(db_);
  const std::int64_t rows_read = step_all(sink);
  return sqlite3_stmt_readonly(handle_) != 0 ? rows_read : rows_changed(db_, total_before);
}

/// SQLite numbers `$1` by its place, not by its name, so the names are read once and kept.
void SqliteStatement::read_parameters() {
  const int count = handle_ == nullptr ? 0 : sqlite3_bind_parameter_count(handle_);
  for (int index = 1; index <= count; ++index) {
    const std::size_t number = number_of(sqlite3_bind_parameter_name(handle_, index));
    if (number == 0) {
      throw Error(Code::misuse, "parameters are called $1, $2, …", std::string(name_));
    }
    numbers_.push_back(number);
    params_needed_ = std::max(params_needed_, number);
  }
}

void SqliteStatement::bind(Params params) {
  if (params.size() < params_needed_) {
    throw Error(Code::misuse,
                "the statement needs " + std::to_string(params_needed_) + " parameters and got " +
                    std::to_string(params.size()),
                std::string(name_));
  }
  int index = 0;
  for (const std::size_t number : numbers_) {
    if (bind_one(handle_, ++index, params[number - 1]) != SQLITE_OK) throw error_of(db_, name_);
  }
}

std::int64_t SqliteStatement::step_all(const RowSink& sink) {
  const SqliteRow row(handle_, name_);
  std::int64_t rows = 0;
  int result = SQLITE_OK;
  while ((result = sqlite3_step(handle_)) == SQLITE_ROW) {
    ++rows;
    if (sink) sink(row);
  }
  if (result != SQLITE_DONE) throw error_of(db_, name_);
  return rows;
}

}  // namespace holdfast::db
