#pragma once

#include <string_view>

#include "holdfast/handlers.hpp"

namespace holdfast::queue {

/// The terminal hooks that this process has, by kind. A process without handlers has none.
class Hooks {
 public:
  Hooks() = default;
  explicit Hooks(const Handlers& handlers) : handlers_(&handlers) {}  ///< borrows

  /// The hook for a final state, or null.
  [[nodiscard]] const Hook* on_success(std::string_view kind) const;
  [[nodiscard]] const Hook* on_cancel(std::string_view kind) const;
  [[nodiscard]] const Hook* on_quarantine(std::string_view kind) const;

  /// True when the program has any hook of the kind, so that it may make such jobs final.
  [[nodiscard]] bool has(std::string_view kind) const;

 private:
  const Handlers* handlers_ = nullptr;
};

}  // namespace holdfast::queue
