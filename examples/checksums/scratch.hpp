#pragma once

#include "options.hpp"

namespace checksums {

/// The names and files of one run: a directory for the logs (and for the database, unless one was
/// given) and a name that no other run has. Removes the directory at the end unless it is kept.
class Scratch {
 public:
  /// Fills in `options.logs`, `options.run` and, if empty, `options.database`.
  explicit Scratch(Options& options);
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

 private:
  std::string directory_;
  bool keep_;
};

}  // namespace checksums
