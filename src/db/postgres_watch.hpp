#pragma once

#include <memory>

#include "db/postgres_address.hpp"
#include "db/watch.hpp"
#include "holdfast/session.hpp"

namespace holdfast::db {

/// Subscribes on a connection that its owner uses as well. Null when a pooler is between: what a
/// server connection hears then reaches nobody, and the subscription would stay behind on it.
[[nodiscard]] std::unique_ptr<Watch> watch_postgres(PGconn* connection, const Statement& listen);

/// Subscribes on a connection of its own.
[[nodiscard]] std::unique_ptr<Watch> watch_postgres(const PostgresAddress& address,
                                                    const Statement& listen);

}  // namespace holdfast::db
