#include "holdfast/error.hpp"

#include <utility>

namespace holdfast {

std::string_view to_string(Code code) {
  switch (code) {
    case Code::busy: return "busy";
    case Code::restart: return "restart";
    case Code::disconnected: return "disconnected";
    case Code::in_doubt: return "in_doubt";
    case Code::schema: return "schema";
    case Code::durability: return "durability";
    case Code::constraint: return "constraint";
    case Code::invalid: return "invalid";
    case Code::storage_full: return "storage_full";
    case Code::read_only: return "read_only";
    case Code::corrupt: return "corrupt";
    case Code::storage: return "storage";
    case Code::forked: return "forked";
    case Code::misuse: return "misuse";
    case Code::internal: return "internal";
  }
  return "unknown";
}

Error::Error(Code code, const std::string& text, std::string statement)
    : std::runtime_error(text), code_(code), statement_(std::move(statement)) {}

bool Error::retryable() const noexcept {
  switch (code_) {
    case Code::busy:
    case Code::restart:
    case Code::disconnected:
    case Code::storage_full: return true;
    default: return false;
  }
}

}  // namespace holdfast
