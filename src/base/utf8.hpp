#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace holdfast::base {

/// True when `text` is UTF-8 as RFC 3629 has it: shortest forms only, no surrogates, nothing above
/// U+10FFFF. U+0000 is valid here.
[[nodiscard]] bool valid_utf8(std::string_view text) noexcept;

/// `text` as UTF-8 that any database takes: a zero byte, and each byte that belongs to no valid
/// character, becomes U+FFFD. Cut to at most `bytes_max` bytes, between characters.
[[nodiscard]] std::string as_utf8(std::string_view text, std::size_t bytes_max);

}  // namespace holdfast::base
