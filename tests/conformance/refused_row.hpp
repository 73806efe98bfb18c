#pragma once

#include <string>

#include "support/queue_under_test.hpp"

namespace holdfast::test {

/// Makes a table refuse rows with this payload, as a trigger of the application's own may.
inline void refuse_payload(QueueUnderTest& q, const std::string& name, const std::string& payload) {
  const std::string table = q.table(name);
  if (q.connection().dialect() == Dialect::sqlite) {
    q.connection().execute("create trigger refuse before insert on " + table +
                           " when new.payload = '" + payload +
                           "' begin select raise(abort, 'refused'); end");
    return;
  }
  q.connection().execute(
      "create function refuse() returns trigger language plpgsql as $$ begin"
      " if new.payload = '" +
      payload + "' then raise exception 'refused'; end if; return new; end $$");
  q.connection().execute("create trigger refuse before insert on " + table +
                         " for each row execute function refuse()");
}

/// Takes that back.
inline void refuse_no_more(QueueUnderTest& q, const std::string& name) {
  const bool sqlite = q.connection().dialect() == Dialect::sqlite;
  q.connection().execute(sqlite ? "drop trigger refuse"
                                : "drop trigger refuse on " + q.table(name));
}

}  // namespace holdfast::test
