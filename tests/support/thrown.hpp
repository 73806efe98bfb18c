#pragma once

#include <optional>

#include "holdfast/error.hpp"

namespace holdfast::test {

/// The Error that `call` throws; nothing when it returns. Other exceptions pass through.
template <class Call>
[[nodiscard]] std::optional<Error> thrown_by(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  return std::nullopt;
}

/// The code of it.
template <class Call>
[[nodiscard]] std::optional<Code> code_thrown_by(Call call) {
  const auto error = thrown_by(call);
  if (!error) return std::nullopt;
  return error->code();
}

}  // namespace holdfast::test
