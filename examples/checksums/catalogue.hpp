#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "place.hpp"

namespace checksums {

/// A regular file that the walk found.
struct FoundFile {
  std::string path;
  std::int64_t size_bytes = 0;
};

/// The application's own tables on the application's own connection:
///
///   files (id, path, size, job)                      one row for each file
///   effects (file_id, job, digest, worker, fence)    one row for each result, and nothing that
///                                                    would hide a doubled one
///
/// Belongs to one thread. Throws std::runtime_error or holdfast::Error.
class Catalogue {
 public:
  virtual ~Catalogue() = default;

  /// Throws when the tables are there already: every run counts from zero.
  virtual void create_tables() = 0;

  /// Removes what this run put into a shared database.
  virtual void drop() = 0;

  /// The heart of the matter: the row of the file and its job in ONE transaction. When this has
  /// returned the job's id, both are durable; when it throws, neither exists.
  virtual std::int64_t add(const FoundFile& file) = 0;

  /// All rows of a query, as text; null is the empty text.
  using Rows = std::vector<std::vector<std::string>>;
  [[nodiscard]] virtual Rows rows(const std::string& sql) = 0;

  /// The first column of the first row.
  [[nodiscard]] std::int64_t number(const std::string& sql);
};

[[nodiscard]] std::unique_ptr<Catalogue> open_catalogue(const Place& place);

}  // namespace checksums
