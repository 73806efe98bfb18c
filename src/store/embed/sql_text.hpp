#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::store::embed {

/// A place in a file below sql/, for messages that an editor can jump to.
struct Place {
  std::string file;
  int line = 0;
};

/// A rule that a text below sql/ breaks. Its text reads `file:line: what is wrong`.
class Refused : public std::runtime_error {
 public:
  Refused(const Place& place, const std::string& rule)
      : std::runtime_error(place.file + ":" + std::to_string(place.line) + ": " + rule) {}
};

/// One line of a file, with the place it came from.
struct Line {
  Place place;
  std::string text;
};

/// All lines of a file. Throws std::runtime_error when it cannot be read.
[[nodiscard]] std::vector<Line> read_lines(const std::string& path);

/// The text without comments, trailing blanks and empty lines. Quoted text is left alone.
[[nodiscard]] std::string without_comments(std::string_view sql);

/// The numbers of the parameters `$1`… in the order in which a text without comments mentions
/// them, repeats included.
[[nodiscard]] std::vector<int> parameters(std::string_view sql);

/// An `insert … values (…)` with its tuple `rows` times, the parameters of each row numbered on
/// from those of the row before. Nothing may follow the tuple; empty when something does, or when
/// there is none.
[[nodiscard]] std::string widened(std::string_view insert, int rows);

/// The text with everything inside quotes blanked, so that what is left is SQL.
[[nodiscard]] std::string without_quoted(std::string_view sql);

}  // namespace holdfast::store::embed
