#pragma once

#include <libpq-fe.h>

#include <memory>

namespace holdfast::db {

struct ClearResult {
  void operator()(PGresult* result) const noexcept { PQclear(result); }
};

/// An answer of the server, owned.
using PostgresResult = std::unique_ptr<PGresult, ClearResult>;

}  // namespace holdfast::db
