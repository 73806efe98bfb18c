#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "holdfast/session.hpp"

namespace holdfast::db {

/// Throws Error(invalid) for text that PostgreSQL could not store as it is: zero bytes, or bytes
/// that are not UTF-8. Refused here so that the caller's transaction survives.
void require_text(std::string_view text, std::string_view statement);

/// Parameters in libpq's text form. The server infers their types from the statement.
class TextParams {
 public:
  TextParams(Params params, std::string_view statement);

  [[nodiscard]] int count() const noexcept { return static_cast<int>(pointers_.size()); }
  [[nodiscard]] const char* const* values() const noexcept { return pointers_.data(); }

 private:
  std::vector<std::string> texts_;
  std::vector<const char*> pointers_;
};

}  // namespace holdfast::db
