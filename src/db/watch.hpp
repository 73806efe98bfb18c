#pragma once

#include "holdfast/time.hpp"

namespace holdfast::db {

/// Hears when others have committed something, without asking the database. It hears too much
/// rather than too little: what it says is a reason to look, and nothing more.
///
/// Belongs to the thread of the connection that it was made with, and ends before that connection
/// is opened again. Not inside a transaction.
class Watch {
 public:
  virtual ~Watch() = default;

  /// Can be read from when there is something to be taken with listen().
  [[nodiscard]] virtual int descriptor() const = 0;

  struct Heard {
    int news = 0;             ///< how often others told, or 1 for at least once
    Duration ask_again = {};  ///< over zero: ask again after that time, readable or not
  };

  /// Takes what has come in. Never waits. Throws Error when nothing can be heard any more.
  [[nodiscard]] virtual Heard listen() = 0;
};

}  // namespace holdfast::db
