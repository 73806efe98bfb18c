#pragma once

#include <functional>
#include <optional>
#include <string_view>

namespace holdfast::cli {

/// Receives one character: its bytes, and its code point or nothing for a byte that does not
/// belong to valid UTF-8 (then `bytes` is that one byte).
using CharacterSink = std::function<void(std::string_view bytes, std::optional<char32_t> c)>;

/// Walks over a text that may be anything. Every byte is handed out exactly once, in order.
/// Surrogates, overlong forms and code points above U+10FFFF are not valid.
void for_each_character(std::string_view text, const CharacterSink& sink);

}  // namespace holdfast::cli
