#include "store/embed/sql_text.hpp"

#include <algorithm>
#include <cctype>
#include <fstream>

namespace holdfast::store::embed {

namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// Index behind the quoted text that begins at `start`. A doubled quote reads as two quoted texts
// side by side, which comes to the same.
std::size_t end_of_quoted(std::string_view sql, std::size_t start) {
  const std::size_t close = sql.find(sql[start], start + 1);
  return close == std::string_view::npos ? sql.size() : close + 1;
}

void drop_trailing_blanks(std::string& text) {
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.pop_back();
}

// Ends a line of `text`, or takes the line away again when there is nothing on it.
void end_line(std::string& text) {
  drop_trailing_blanks(text);
  if (!text.empty() && text.back() != '\n') text += '\n';
}

// The text with `by` added to the number of each parameter. There is nothing quoted in it.
std::string renumbered(std::string_view text, int by) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    out += text[i];
    if (text[i] != '$') continue;
    int number = 0;
    while (i + 1 < text.size() && is_digit(text[i + 1])) number = number * 10 + (text[++i] - '0');
    out += std::to_string(number + by);
  }
  return out;
}

}  // namespace

std::vector<Line> read_lines(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path + ": cannot be read");
  std::vector<Line> lines;
  int number = 0;
  for (std::string text; std::getline(file, text);) {
    lines.push_back(Line{Place{path, ++number}, text});
  }
  if (file.bad()) throw std::runtime_error(path + ": cannot be read");
  return lines;
}

std::string without_comments(std::string_view sql) {
  std::string text;
  for (std::size_t i = 0; i < sql.size();) {
    if (sql[i] == '\'' || sql[i] == '"') {
      const std::size_t end = end_of_quoted(sql, i);
      text += sql.substr(i, end - i);
      i = end;
    } else if (sql.substr(i, 2) == "--") {
      i = std::min(sql.find('\n', i), sql.size());
    } else if (sql[i] == '\n') {
      end_line(text);
      ++i;
    } else {
      text += sql[i++];
    }
  }
  end_line(text);
  if (!text.empty()) text.pop_back();
  return text;
}

std::vector<int> parameters(std::string_view sql) {
  const std::string bare = without_quoted(sql);
  std::vector<int> found;
  for (std::size_t i = 0; i + 1 < bare.size(); ++i) {
    if (bare[i] != '$' || !is_digit(bare[i + 1])) continue;
    int number = 0;
    while (++i < bare.size() && is_digit(bare[i])) number = number * 10 + (bare[i] - '0');
    found.push_back(number);
  }
  return found;
}

std::string widened(std::string_view insert, int rows) {
  constexpr std::string_view before_tuple = "values ";
  const std::size_t head = insert.rfind(before_tuple);
  if (head == std::string_view::npos || insert.back() != ')') return {};
  const std::string_view tuple = insert.substr(head + before_tuple.size());
  if (tuple.find(')') != tuple.size() - 1) return {};
  const std::vector<int> numbers = parameters(tuple);
  const int a_row = numbers.empty() ? 0 : *std::max_element(numbers.begin(), numbers.end());
  std::string text(insert);
  for (int row = 1; row < rows; ++row) text += ",\n" + renumbered(tuple, row * a_row);
  return text;
}

std::string without_quoted(std::string_view sql) {
  std::string text(sql);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\'' && text[i] != '"') continue;
    const std::size_t end = end_of_quoted(text, i);
    for (; i < end; ++i) text[i] = ' ';
    --i;
  }
  return text;
}

}  // namespace holdfast::store::embed
