#include "db/postgres_durability.hpp"

#include <string>

#include "db/postgres_database.hpp"
#include "db/postgres_session.hpp"
#include "holdfast/error.hpp"

namespace holdfast::db {

namespace {

constexpr std::string_view read_settings =
    "select current_setting('fsync'), current_setting('synchronous_commit')";

}  // namespace

void require_fsync(std::string_view fsync, Durability durability) {
  if (durability == Durability::relaxed || fsync == "on") return;
  throw Error(Code::durability,
              "fsync is off on this PostgreSQL server: a power loss can lose or damage what was "
              "committed. Turn it on, or choose durability = relaxed");
}

bool needs_synchronous_commit(std::string_view setting, Durability durability) {
  return durability == Durability::full && setting == "off";
}

void check_durability(::pg_conn* connection, Durability durability) {
  if (durability == Durability::relaxed) return;
  std::string fsync;
  std::string synchronous_commit;
  PostgresSession(connection).execute(read_settings, Params{}, [&](const Row& row) {
    fsync = row.text(0);
    synchronous_commit = row.text(1);
  });
  require_fsync(fsync, durability);
  if (needs_synchronous_commit(synchronous_commit, durability)) {
    throw Error(Code::durability,
                "synchronous_commit is off on this connection: a power loss can lose the last "
                "commits. Run `set synchronous_commit = on` (or `set local` in the transaction), "
                "or choose durability = relaxed");
  }
}

}  // namespace holdfast::db
