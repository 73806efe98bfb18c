#include "holdfast/error.hpp"
#include "holdfast/session.hpp"

namespace holdfast {

namespace {

/// Whether a value may stand in a column: PostgreSQL sends each column as an array of one type.
bool fits(const Value& value, Column column) {
  if (std::holds_alternative<std::monostate>(value)) return true;
  switch (column) {
    case Column::integer: return std::holds_alternative<std::int64_t>(value);
    case Column::real: return std::holds_alternative<double>(value);
    case Column::text: return std::holds_alternative<std::string_view>(value);
  }
  return false;
}

}  // namespace

void Batch::add(std::initializer_list<Value> row) {
  if (row.size() != columns_.size() || columns_.empty()) {
    throw Error(Code::misuse, "a batch row has " + std::to_string(row.size()) + " values for " +
                                  std::to_string(columns_.size()) + " columns");
  }
  std::size_t column = 0;
  for (const Value& value : row) {
    if (!fits(value, columns_[column])) {
      throw Error(Code::misuse, "value " + std::to_string(column) +
                                    " of a batch row is not of its column's type");
    }
    ++column;
  }
  values_.insert(values_.end(), row.begin(), row.end());
}

}  // namespace holdfast
