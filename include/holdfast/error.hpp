#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace holdfast {

/// What kind of thing went wrong. A property of an Error, so that callers switch on a value
/// instead of catching a tree of classes.
enum class Code {
  busy,          ///< another writer held the database too long; repeat the operation
  restart,       ///< the caller's own transaction must be rolled back and begun again
  disconnected,  ///< the database is not reachable; nothing was committed
  in_doubt,      ///< the connection ended during a commit: it may or may not have happened
  schema,        ///< not a Holdfast database, or one of a version this program cannot use
  durability,    ///< the connection would lose committed work in a crash; see the text for the mend
  constraint,    ///< the database refused a value; the text names the rule
  invalid,       ///< a value was refused before it reached the database; the text names the rule
  storage_full,  ///< no space left for the write; nothing was written
  read_only,     ///< the database cannot be written
  corrupt,       ///< the database file is damaged
  storage,       ///< any other failure of the storage below us
  forked,        ///< a handle made before fork() was used in the child
  misuse,        ///< a call that breaks the contract of the interface
  internal,      ///< an invariant of ours does not hold; please report it
};

/// The name of a code, as it appears in texts and JSON.
[[nodiscard]] std::string_view to_string(Code code);

/// The one exception of this library: it ends the operation it comes from. Expected answers
/// (a lost lease, a key that is taken) are return values and never arrive this way.
class Error : public std::runtime_error {
 public:
  Error(Code code, const std::string& text, std::string statement = {});

  [[nodiscard]] Code code() const noexcept { return code_; }

  /// Name of the statement that failed; empty when no statement was involved.
  [[nodiscard]] const std::string& statement() const noexcept { return statement_; }

  /// True when repeating the whole operation later may succeed without anything being changed.
  [[nodiscard]] bool retryable() const noexcept;

 private:
  Code code_;
  std::string statement_;
};

}  // namespace holdfast
