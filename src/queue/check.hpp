#pragma once

#include <string_view>

#include "holdfast/job.hpp"

/// The rules of the table, told before the database is asked: on a borrowed connection a refused
/// INSERT could abort the caller's transaction, and SQLite cannot see invalid UTF-8 at all. The
/// table refuses the same values, whoever sends them. All throw Error(invalid) with the rule.
namespace holdfast::queue {

/// A queue, kind, …: 1 to 200 characters, valid UTF-8, no U+0000-1F and no U+007F.
void check_name(std::string_view what, std::string_view name);

/// Every field of a job to be.
void check(const NewJob& job);

/// Actor and reason of an operator's action.
void check_operator(std::string_view actor, std::string_view reason);

/// The most that a payload holds, bytes.
inline constexpr std::size_t payload_bytes_max = std::size_t{1024} * 1024;
inline constexpr std::size_t headers_bytes_max = std::size_t{64} * 1024;

}  // namespace holdfast::queue
