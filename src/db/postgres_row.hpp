#pragma once

#include <libpq-fe.h>

#include "holdfast/session.hpp"

namespace holdfast::db {

/// A look at one row of a result in text form. Valid as long as the result.
class PostgresRow : public Row {
 public:
  PostgresRow(const PGresult* result, int row, std::string_view statement)
      : result_(result), row_(row), statement_(statement) {}

  [[nodiscard]] int columns() const override { return PQnfields(result_); }
  [[nodiscard]] bool is_null(int column) const override;
  [[nodiscard]] std::int64_t integer(int column) const override;
  [[nodiscard]] double real(int column) const override;
  [[nodiscard]] std::string_view text(int column) const override;

 private:
  [[nodiscard]] std::string_view value(int column, const char* wanted) const;
  [[noreturn]] void refuse(int column, const char* wanted) const;

  const PGresult* result_;
  int row_;
  std::string_view statement_;
};

}  // namespace holdfast::db
