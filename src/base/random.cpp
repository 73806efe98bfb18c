#include "base/random.hpp"

#include <sys/random.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>

#include "base/fork.hpp"
#include "holdfast/error.hpp"

namespace holdfast::base {

namespace {

void fill_random(std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t got = ::getrandom(bytes.data(), bytes.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) throw Error(Code::internal, "the operating system gives no random numbers");
    bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
}

struct Generator {
  std::uint64_t seeded_in;  // fork generation
  std::mt19937_64 engine;
};

Generator seeded() {
  std::uint64_t seed = 0;
  fill_random(std::as_writable_bytes(std::span(&seed, 1)));
  return {fork_generation(), std::mt19937_64(seed)};
}

}  // namespace

std::string random_id() {
  std::array<std::byte, 16> bytes{};
  fill_random(bytes);
  constexpr std::string_view digits = "0123456789abcdef";
  std::string id;
  id.reserve(2 * bytes.size());
  for (const std::byte byte : bytes) {
    id += digits[std::to_integer<std::size_t>(byte >> 4)];
    id += digits[std::to_integer<std::size_t>(byte & std::byte{15})];
  }
  return id;
}

double random_unit() {
  thread_local Generator generator = seeded();
  if (generator.seeded_in != fork_generation()) generator = seeded();
  // 53 bits fill a double exactly; uniform_real_distribution may round up to 1.
  return static_cast<double>(generator.engine() >> 11) * 0x1p-53;
}

}  // namespace holdfast::base
