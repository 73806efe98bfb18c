#pragma once

#include <string>
#include <string_view>

#include "holdfast/time.hpp"

namespace holdfast::cli {

/// 2026-01-31T12:00:00.000000Z.
[[nodiscard]] std::string format_time(Time time);

/// The largest unit that shows it exactly, readable by parse_duration: 500ms, 90s, 2h. Digits
/// below a millisecond are dropped.
[[nodiscard]] std::string format_duration(Duration duration);

/// Text that cannot drive a terminal, on one line: control characters, characters that change the
/// direction of writing and bytes that are not UTF-8 appear as \n, \x1b, \u{202e}. Everything
/// else, a backslash included, stays as it is.
[[nodiscard]] std::string for_terminal(std::string_view text);

/// The same over several lines: line feeds and tabs stay.
[[nodiscard]] std::string for_terminal_lines(std::string_view text);

/// At most `width` characters, the last one … when something was cut off. `text` is valid UTF-8.
[[nodiscard]] std::string cut(std::string_view text, std::size_t width);

/// Characters of a valid UTF-8 text.
[[nodiscard]] std::size_t width_of(std::string_view text);

/// Text that both databases take as it is: bytes that are not UTF-8 become U+FFFD, control
/// characters other than line feed and tab become '?'.
[[nodiscard]] std::string for_storage(std::string_view text);

}  // namespace holdfast::cli
