#include "worker/incarnation.hpp"

#include <unistd.h>

#include <array>

#include "base/random.hpp"

namespace holdfast::worker {

std::string host_name() {
  std::array<char, 101> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "unknown";
  std::string clean;
  for (const char c : std::string(name.data())) {
    clean += c > ' ' && c < 0x7f ? c : '?';
  }
  return clean.empty() ? "unknown" : clean;
}

std::string new_incarnation() {
  return host_name() + ":" + std::to_string(::getpid()) + ":" + base::random_id();
}

}  // namespace holdfast::worker
