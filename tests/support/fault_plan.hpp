#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "db/connection.hpp"
#include "holdfast/error.hpp"

namespace holdfast::test {

/// One thing that goes wrong: at the n-th call, from when it was planned, of those that it is
/// about. Calls are run, run_many, execute, script, begin and commit.
struct Fault {
  enum class When { before, after };  ///< is the call's work done when it fails?
  int call = 1;
  When when = When::before;
  Code code = Code::storage;          ///< `disconnected` and `in_doubt` drop the connection as well
  bool for_ever = false;              ///< every later call too, not just this one
  std::string only = {};              ///< name of a statement, "begin", "commit"; empty: every call
  std::optional<db::Lane> lane = {};  ///< connections of this lane only
};

/// What goes wrong, shared by a test and the connections under it. Any thread.
class FaultPlan {
 public:
  void add(Fault fault);

  /// The answer to the n-th commit from now is lost; `happens`: whether it was written.
  void lose_commit(int commit, bool happens);

  /// The database cannot be reached: every call drops its connection, and none can be opened.
  void go_away();

  /// The database is back and nothing more goes wrong.
  void heal();

  /// How many calls there were, and how many of them failed on purpose.
  [[nodiscard]] int calls() const;
  [[nodiscard]] int struck() const;
  [[nodiscard]] bool away() const;

  /// Counts a call and answers the fault that hits it, if any. For the connections.
  [[nodiscard]] std::optional<Fault> next(std::string_view call, db::Lane lane);

 private:
  mutable std::mutex mutex_;  // guards all below
  std::vector<Fault> faults_;
  int calls_ = 0;
  int struck_ = 0;
  bool away_ = false;
};

}  // namespace holdfast::test
