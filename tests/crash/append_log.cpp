#include "crash/append_log.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>

namespace holdfast::test {

AppendLog::AppendLog(const std::string& path)
    : descriptor_(::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644)) {
  if (descriptor_ < 0) throw std::system_error(errno, std::generic_category(), path);
}

AppendLog::~AppendLog() { ::close(descriptor_); }

void AppendLog::append(std::string_view line) {
  const std::string text = std::string(line) + '\n';
  if (::write(descriptor_, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    throw std::system_error(errno, std::generic_category(), "writing a log");
  }
}

std::vector<std::vector<std::string>> read_log(const std::string& path) {
  std::vector<std::vector<std::string>> lines;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    lines.emplace_back(std::istream_iterator<std::string>(words),
                       std::istream_iterator<std::string>());
  }
  return lines;
}

}  // namespace holdfast::test
