#pragma once

#include <libpq-fe.h>

#include "db/connection.hpp"

namespace holdfast::db {

/// Sends a COMMIT and judges what comes back:
///
///   nothing was sent, the connection was known to be lost before      no
///   tag COMMIT, whatever happens to the connection after it           yes
///   tag ROLLBACK: the transaction was aborted                         no
///   an error of the server (a deferred constraint, a serialization)   no
///   a shutdown, an error of a pooler, or no answer                    in_doubt
[[nodiscard]] Committed send_commit(PGconn* connection);

}  // namespace holdfast::db
