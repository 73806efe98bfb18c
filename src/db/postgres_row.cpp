#include "db/postgres_row.hpp"

#include <charconv>
#include <string>

#include "holdfast/error.hpp"

namespace holdfast::db {

namespace {

// Type numbers of the server's catalogue. They are part of its protocol and never change.
enum Type : Oid {
  type_bool = 16,
  type_int8 = 20,
  type_int2 = 21,
  type_int4 = 23,
  type_oid = 26,
  type_float4 = 700,
  type_float8 = 701,
  type_numeric = 1700,
};

bool is_number(Oid type) {
  return type == type_int2 || type == type_int4 || type == type_int8 || type == type_oid ||
         type == type_float4 || type == type_float8 || type == type_numeric;
}

/// False unless the whole text is a number of this type: a numeric with a fraction is no integer.
template <class Number>
bool parse(std::string_view text, Number& number) {
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  return fault == std::errc{} && end == text.data() + text.size();
}

}  // namespace

bool PostgresRow::is_null(int column) const {
  if (column < 0 || column >= columns()) refuse(column, "a column that exists");
  return PQgetisnull(result_, row_, column) != 0;
}

std::int64_t PostgresRow::integer(int column) const {
  const auto text = value(column, "an integer");
  const Oid type = PQftype(result_, column);
  if (type == type_bool) return text == "t" ? 1 : 0;
  std::int64_t number = 0;
  const bool real = type == type_float4 || type == type_float8;
  if (!is_number(type) || real || !parse(text, number)) refuse(column, "an integer");
  return number;
}

double PostgresRow::real(int column) const {
  const auto text = value(column, "a number");
  double number = 0;
  if (!is_number(PQftype(result_, column)) || !parse(text, number)) refuse(column, "a number");
  return number;
}

std::string_view PostgresRow::text(int column) const {
  const auto text = value(column, "text");
  if (is_number(PQftype(result_, column))) refuse(column, "text");
  return text;
}

std::string_view PostgresRow::value(int column, const char* wanted) const {
  if (is_null(column)) refuse(column, wanted);
  const auto length = static_cast<std::size_t>(PQgetlength(result_, row_, column));
  return {PQgetvalue(result_, row_, column), length};
}

void PostgresRow::refuse(int column, const char* wanted) const {
  throw Error(Code::internal,
              "column " + std::to_string(column) + " of the result was read as " + wanted +
                  ", which it is not",
              std::string(statement_));
}

}  // namespace holdfast::db
