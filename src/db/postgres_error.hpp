#pragma once

#include <libpq-fe.h>

#include <string>
#include <string_view>

#include "holdfast/error.hpp"

namespace holdfast::db {

/// What an SQLSTATE means to a caller of ours.
[[nodiscard]] Code code_of(std::string_view sqlstate) noexcept;

/// The five characters of a failed result; empty when the failure came from libpq itself.
[[nodiscard]] std::string_view sqlstate_of(const PGresult* result) noexcept;

/// Turns a failed result into an Error whose text ends with the SQLSTATE in brackets. A refused
/// value is told by the name of its constraint if that is a sentence. The detail line is left out
/// on purpose: it repeats the row. `statement` is the name, empty for SQL of the caller's own.
[[nodiscard]] Error error_of(PGconn* connection, const PGresult* result,
                             std::string_view statement);

/// libpq's message without its line ends.
[[nodiscard]] std::string one_line(const char* message);

}  // namespace holdfast::db
