#include "db/connection.hpp"
#include "holdfast/error.hpp"

namespace holdfast::db {

void Transaction::commit_or_throw() {
  switch (commit()) {
    case Committed::yes: return;
    case Committed::no: throw Error(Code::busy, "the commit was refused; nothing was written");
    case Committed::in_doubt:
      throw Error(Code::in_doubt,
                  "the answer to the commit was lost; it may or may not be written");
  }
}

}  // namespace holdfast::db
