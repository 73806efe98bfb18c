#include "cli/output.hpp"

#include <cerrno>
#include <cstdio>
#include <string>

#include "cli/descriptor.hpp"
#include "cli/format.hpp"

namespace holdfast::cli {

std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void print_line(std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (!written || std::fputc('\n', stdout) == EOF) throw_system_error("stdout", errno);
}

void print_json(const Json& json) { print_line(dump(json)); }

void flush_output() {
  if (std::fflush(stdout) != 0) throw_system_error("stdout", errno);
}

void print_error(bool json, std::string_view error, std::string_view text) {
  std::string line = "holdfast: " + for_terminal_lines(text);
  if (json) line = dump(Json{{"error", error}, {"message", text}});
  line += '\n';
  std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace holdfast::cli
