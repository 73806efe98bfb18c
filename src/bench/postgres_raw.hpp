#pragma once

#include <libpq-fe.h>

#include <initializer_list>
#include <memory>
#include <string>

namespace holdfast::bench {

using PostgresRawResult = std::unique_ptr<PGresult, decltype(&PQclear)>;

/// A connection of a floor: nothing around the C calls but a check of their answers.
class PostgresRaw {
 public:
  explicit PostgresRaw(const std::string& conninfo);

  PostgresRawResult run(const char* sql);
  void prepare(const char* name, const char* sql);
  PostgresRawResult execute(const char* name, std::initializer_list<const char*> parameters);

  /// The same without waiting: its answer comes after those before it, see `next`.
  void send(const char* name, std::initializer_list<const char*> parameters);

  /// The answer to the next `send` of a pipeline.
  PostgresRawResult next();

  /// Sends what was gathered; the answers can be read after it.
  void sync();

  /// Reads to the end of what was synced.
  void synced();

  void pipeline(bool on);

  [[nodiscard]] ::PGconn* handle() const noexcept { return db_.get(); }

 private:
  PostgresRawResult checked(PGresult* result) const;

  std::unique_ptr<::PGconn, decltype(&PQfinish)> db_;
};

}  // namespace holdfast::bench
