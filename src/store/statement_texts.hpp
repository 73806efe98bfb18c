#pragma once

#include <span>
#include <string_view>

#include "store/statements.hpp"

namespace holdfast::store {

/// A statement as embedded from sql/, the namespace still open. Empty `sql`: the dialect does not
/// have it.
struct StatementText {
  std::string_view name;
  std::string_view sql;
  std::string_view then;
  std::string_view wide;
  std::size_t wide_rows;
  Plan plan;
};

/// One for each enumerator of Sql, in that order.
[[nodiscard]] std::span<const StatementText> statement_texts(Dialect dialect);

}  // namespace holdfast::store
