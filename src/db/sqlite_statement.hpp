#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "holdfast/session.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace holdfast::db {

/// One prepared statement of SQLite and the numbers of the parameters it uses.
class SqliteStatement {
 public:
  enum class Life { once, cached };

  SqliteStatement() = default;

  /// Prepares the first statement of `sql` and cuts it off; an empty SqliteStatement when there
  /// was nothing but white space and comments. `name` goes into errors and is borrowed.
  SqliteStatement(::sqlite3* db, std::string_view& sql, std::string_view name, Life life);
  ~SqliteStatement();
  SqliteStatement(SqliteStatement&& other) noexcept;
  SqliteStatement& operator=(SqliteStatement&& other) noexcept;

  [[nodiscard]] explicit operator bool() const noexcept { return handle_ != nullptr; }

  /// How many parameters it needs: the highest N of `$N` that occurs.
  [[nodiscard]] std::size_t params_needed() const noexcept { return params_needed_; }

  /// Runs it to its end, or until the sink throws. Returns the rows changed, or read by a select;
  /// a write to a view counts the rows that the view's triggers changed. Reset afterwards in
  /// every case. Throws Error(misuse) when it is already running or a parameter is missing.
  std::int64_t run(Params params, const RowSink& sink);

  /// Forgets the handle without finalizing it: in a forked child it belongs to the parent.
  void abandon() noexcept { handle_ = nullptr; }

 private:
  void read_parameters();
  void bind(Params params);
  std::int64_t step_all(const RowSink& sink);

  ::sqlite3* db_ = nullptr;
  ::sqlite3_stmt* handle_ = nullptr;
  std::string_view name_ = {};
  std::vector<std::size_t> numbers_ = {};  ///< of SQLite's parameter i + 1: the N of its `$N`
  std::size_t params_needed_ = 0;
};

}  // namespace holdfast::db
