#pragma once

#include <string>
#include <vector>

namespace holdfast::cli {

enum class Align { left, right };

struct TableColumn {
  std::string title = {};
  Align align = Align::left;
};

/// Rows for a person. Cells are made safe for a terminal here; the last column is cut off at the
/// width of the terminal, the others are as wide as they need to be, up to 40 characters.
class Table {
 public:
  explicit Table(std::vector<TableColumn> columns);

  /// One cell for each column.
  void add(std::vector<std::string> cells);

  void print() const;

 private:
  [[nodiscard]] std::string line(const std::vector<std::string>& cells) const;

  std::vector<TableColumn> columns_;
  std::vector<std::size_t> widths_;
  std::vector<std::vector<std::string>> rows_;
};

/// Characters in a line of the terminal at stdout; 120 when it is none.
[[nodiscard]] std::size_t terminal_width();

}  // namespace holdfast::cli
