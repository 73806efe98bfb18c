#pragma once

#include <string_view>

#include "holdfast/error.hpp"

struct sqlite3;

namespace holdfast::db {

/// What a result code of SQLite (extended or not) means to a caller of ours, as far as the number
/// alone says it.
[[nodiscard]] Code code_of(int result) noexcept;

/// The last failure on `db` as an Error that says what to do about it. A refused value is told by
/// the name of its constraint, which is a sentence. `statement` is the name of ours that failed,
/// empty for SQL of the caller's own.
[[nodiscard]] Error error_of(::sqlite3* db, std::string_view statement);

}  // namespace holdfast::db
