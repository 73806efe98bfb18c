#pragma once

#include "db/connection.hpp"
#include "holdfast/error.hpp"
#include "store/statements.hpp"

namespace holdfast::queue {

/// History has a partition for each day on PostgreSQL; nothing to do on SQLite. Makes the ones for
/// yesterday and the week ahead that are missing, in a transaction of its own.
void ensure_history(db::Connection& connection, const store::StatementSet& sql, Time now);

/// True for the error of a settle that met a day without a partition: ensure_history mends it.
[[nodiscard]] bool is_missing_partition(const Error& error);

}  // namespace holdfast::queue
