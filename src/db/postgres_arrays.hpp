#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "holdfast/session.hpp"

namespace holdfast::db {

/// A range of rows of a batch as one array for each column, in PostgreSQL's binary form: bigint[],
/// double precision[] or text[]. Binary because a text array would have to be quoted and parsed.
class ArrayParams {
 public:
  /// Takes rows from `first` until `rows_max` rows or about `bytes_max` bytes are full, one row at
  /// least. Throws Error(invalid) for text that cannot be stored.
  ArrayParams(const Batch& batch, std::size_t first, std::size_t rows_max, std::size_t bytes_max,
              std::string_view statement);

  /// The first row that was not taken.
  [[nodiscard]] std::size_t next() const noexcept { return next_; }

  [[nodiscard]] int count() const noexcept { return static_cast<int>(types_.size()); }
  [[nodiscard]] const unsigned* types() const noexcept { return types_.data(); }
  [[nodiscard]] const char* const* values() const noexcept { return values_.data(); }
  [[nodiscard]] const int* lengths() const noexcept { return lengths_.data(); }
  [[nodiscard]] const int* formats() const noexcept { return formats_.data(); }

 private:
  std::size_t next_;
  std::vector<std::string> arrays_;
  std::vector<unsigned> types_;
  std::vector<const char*> values_;
  std::vector<int> lengths_;
  std::vector<int> formats_;
};

}  // namespace holdfast::db
