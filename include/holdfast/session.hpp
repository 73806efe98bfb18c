#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

struct sqlite3;
struct pg_conn;

namespace holdfast {

/// The two databases a queue can live in.
enum class Dialect { sqlite, postgres };

/// A parameter of a statement. Text is borrowed: it must live until the call returns.
using Value = std::variant<std::monostate, std::int64_t, double, std::string_view>;
inline constexpr std::monostate null{};

using Params = std::span<const Value>;

/// How long the plan of a statement is good for (PostgreSQL).
enum class Plan {
  fresh,   ///< for one run
  kept,    ///< for as long as the connection lasts, whatever the tables hold by then
  pinned,  ///< the same, where the planner is told to walk indexes only: see db::Lane::claims
};

/// A named statement. Sessions cache what they prepare for it by its address, so a Statement
/// outlives every session that runs it (those of a StatementSet do).
struct Statement {
  std::string_view name;
  std::string sql;
  std::string then = {};  ///< SQLite only: runs with the same parameters if `sql` changed a row

  /// SQLite only: `sql` for `wide_rows` rows of parameters at once, for Session::run_many.
  std::string wide = {};
  std::size_t wide_rows = 0;

  Plan plan = Plan::fresh;
};

/// One row of a result, valid only inside the callback that receives it. Columns count from 0.
/// Reading a column as another type than it has throws Error(internal).
class Row {
 public:
  virtual ~Row() = default;
  [[nodiscard]] virtual int columns() const = 0;
  [[nodiscard]] virtual bool is_null(int column) const = 0;
  [[nodiscard]] virtual std::int64_t integer(int column) const = 0;
  [[nodiscard]] virtual double real(int column) const = 0;
  [[nodiscard]] virtual std::string_view text(int column) const = 0;
};

/// Receives the rows of a result one by one.
using RowSink = std::function<void(const Row&)>;

/// The type of one column of a Batch.
enum class Column { integer, real, text };

/// Many parameter rows of one shape, for Session::run_many. Text is borrowed, as in Value.
class Batch {
 public:
  explicit Batch(std::initializer_list<Column> columns) : columns_(columns) {}

  /// Appends one row; it must have one value for each column.
  void add(std::initializer_list<Value> row);

  [[nodiscard]] std::size_t size() const noexcept { return values_.size() / columns_.size(); }
  [[nodiscard]] bool empty() const noexcept { return values_.empty(); }
  [[nodiscard]] std::span<const Column> columns() const noexcept { return columns_; }
  [[nodiscard]] Params row(std::size_t index) const noexcept { return rows(index, 1); }

  /// The values of `count` rows, one row after the other.
  [[nodiscard]] Params rows(std::size_t index, std::size_t count) const noexcept {
    return Params(values_).subspan(index * columns_.size(), count * columns_.size());
  }

  /// Room for `rows` rows, to be added without growing.
  void reserve(std::size_t rows) { values_.reserve(rows * columns_.size()); }

 private:
  std::vector<Column> columns_;
  std::vector<Value> values_;
};

/// What code may do inside a transaction that somebody else begins and commits: run statements.
/// It is what a hook and `done_in` receive. A Session belongs to one thread at a time.
///
/// Errors: every failure of the database throws Error; a failure is never an empty result.
class Session {
 public:
  virtual ~Session() = default;

  [[nodiscard]] virtual Dialect dialect() const = 0;

  /// Runs one statement once. Returns the rows changed (insert, update, delete, with or without
  /// `returning`) or the number of rows read (select). `sink` receives each result row and must
  /// not run the same statement again.
  virtual std::int64_t run(const Statement& statement, Params params, const RowSink& sink) = 0;

  /// Runs one statement for every row of the batch: a loop over a cached statement on SQLite
  /// (several rows at a time if it has a wide form), one round trip with an array for each column
  /// on PostgreSQL. Returns the sum of rows changed.
  virtual std::int64_t run_many(const Statement& statement, const Batch& batch,
                                const RowSink& sink) = 0;

  /// Runs SQL of the caller's own, with parameters `$1`… . Not cached.
  virtual std::int64_t execute(std::string_view sql, Params params, const RowSink& sink) = 0;

  /// The C handle below, for code that has its own way to talk to the database; null for the
  /// other dialect. The transaction around it is not the caller's to end.
  [[nodiscard]] virtual ::sqlite3* sqlite() const = 0;
  [[nodiscard]] virtual ::pg_conn* postgres() const = 0;

  std::int64_t run(const Statement& statement, std::initializer_list<Value> params = {}) {
    return run(statement, Params(params.begin(), params.size()), RowSink{});
  }
  std::int64_t run(const Statement& statement, std::initializer_list<Value> params,
                   const RowSink& sink) {
    return run(statement, Params(params.begin(), params.size()), sink);
  }
  std::int64_t execute(std::string_view sql, std::initializer_list<Value> params = {},
                       const RowSink& sink = {}) {
    return execute(sql, Params(params.begin(), params.size()), sink);
  }
};

}  // namespace holdfast
