#include "cli/table.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

#include "cli/format.hpp"
#include "cli/output.hpp"

namespace holdfast::cli {

namespace {

constexpr std::size_t cell_width_max = 40;
constexpr std::size_t last_cell_width_min = 20;

}  // namespace

std::size_t terminal_width() {
  winsize size{};
  const bool known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 120;
}

Table::Table(std::vector<TableColumn> columns) : columns_(std::move(columns)) {
  for (const TableColumn& column : columns_) widths_.push_back(width_of(column.title));
}

void Table::add(std::vector<std::string> cells) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    cells[i] = for_terminal(cells[i]);
    if (i + 1 < cells.size()) cells[i] = cut(cells[i], cell_width_max);
    widths_[i] = std::max(widths_[i], width_of(cells[i]));
  }
  rows_.push_back(std::move(cells));
}

std::string Table::line(const std::vector<std::string>& cells) const {
  std::string line;
  std::size_t used = 0;
  for (std::size_t i = 0; i + 1 < cells.size(); ++i) {
    const std::string padding(widths_[i] - width_of(cells[i]), ' ');
    line += columns_[i].align == Align::right ? padding + cells[i] : cells[i] + padding;
    line += "  ";
    used += widths_[i] + 2;
  }
  const std::size_t width = terminal_width();
  const bool right = columns_.back().align == Align::right;
  if (right) line.append(widths_.back() - width_of(cells.back()), ' ');
  line += right ? cells.back()
                : cut(cells.back(), std::max(last_cell_width_min, width > used ? width - used : 0));
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

void Table::print() const {
  std::vector<std::string> titles;
  for (const TableColumn& column : columns_) titles.push_back(column.title);
  print_line(line(titles));
  for (const auto& row : rows_) print_line(line(row));
}

}  // namespace holdfast::cli
