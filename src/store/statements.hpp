#pragma once

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "holdfast/session.hpp"
#include "store/sql_names.hpp"  // generated: enum class Sql, inline constexpr int sql_count

namespace holdfast::store {

/// All statements of one dialect with the namespace put in front of the table names. Made once per
/// opened database, immutable, shared by its sessions; it outlives them.
class StatementSet {
 public:
  /// Throws Error(invalid) for a namespace that is not [a-z][a-z0-9_]{0,30}.
  [[nodiscard]] static std::shared_ptr<const StatementSet> load(Dialect dialect,
                                                                std::string_view schema);

  /// Throws Error(internal) for a statement that this dialect does not have.
  [[nodiscard]] const Statement& operator[](Sql name) const;

  [[nodiscard]] Dialect dialect() const noexcept { return dialect_; }
  [[nodiscard]] std::string_view schema() const noexcept { return schema_; }

 private:
  StatementSet(Dialect dialect, std::string_view schema);
  Dialect dialect_;
  std::string schema_;
  std::vector<Statement> statements_;
};

/// Puts the namespace into a text: `{ns}` becomes `holdfast_` on SQLite and `"holdfast".` on
/// PostgreSQL, `{schema}` the bare quoted name, `{schema_text}` the name as a text literal. The
/// only substitution there is.
[[nodiscard]] std::string with_namespace(std::string_view text, Dialect dialect,
                                         std::string_view schema);

/// A step of the schema, as embedded from sql/migrations/NNNN_name.{sqlite,postgres}.sql.
struct MigrationText {
  int version;
  std::string_view name;
  int oldest_version;  ///< the oldest program (by schema version) that can go on with it
  std::string_view sql;
};
[[nodiscard]] std::span<const MigrationText> migration_texts(Dialect dialect);

/// A session and its statements: what everything above `store` works with.
struct Access {
  Session& session;
  const StatementSet& sql;

  std::int64_t run(Sql name, std::initializer_list<Value> params = {},
                   const RowSink& sink = {}) const {
    return session.run(sql[name], params, sink);
  }
  std::int64_t run(Sql name, Params params, const RowSink& sink = {}) const {
    return session.run(sql[name], params, sink);
  }
  std::int64_t run_many(Sql name, const Batch& batch, const RowSink& sink = {}) const {
    return session.run_many(sql[name], batch, sink);
  }
};

/// A list of ids, or of texts, as one parameter of a statement that takes such a list: a JSON array
/// on SQLite, an array literal on PostgreSQL.
[[nodiscard]] std::string list_of(Dialect dialect, std::span<const std::int64_t> ids);
[[nodiscard]] std::string list_of(Dialect dialect, std::span<const std::string> texts);

/// Ids, each with a number, as one parameter: a JSON object. SQLite only.
[[nodiscard]] std::string object_of(std::span<const std::pair<std::int64_t, std::int64_t>> numbers);

}  // namespace holdfast::store
