#pragma once

#include <string_view>

namespace holdfast::base {

/// True when `text` is UTF-8 as RFC 3629 has it: shortest forms only, no surrogates, nothing above
/// U+10FFFF. U+0000 is valid here.
[[nodiscard]] bool valid_utf8(std::string_view text) noexcept;

}  // namespace holdfast::base
