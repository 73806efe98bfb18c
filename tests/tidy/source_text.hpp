#pragma once

#include <string>
#include <vector>

namespace holdfast::tidy {

/// A string literal of a C++ source: its text as written, neighbours joined.
struct Literal {
  std::size_t line;
  std::string text;
};

/// All string literals, raw ones too; comments and character literals are passed over. Literals
/// with nothing but white space between them count as one, as they do for the compiler.
[[nodiscard]] std::vector<Literal> string_literals(const std::string& source);

}  // namespace holdfast::tidy
