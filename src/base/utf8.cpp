#include "base/utf8.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace holdfast::base {

namespace {

constexpr bool within(unsigned char byte, unsigned low, unsigned high) {
  return byte >= low && byte <= high;
}

/// Length of the sequence that starts at `at`, by table 3-7 of the Unicode standard; 0: not valid.
/// Only the second byte has limits that depend on the first.
std::size_t sequence_length(const unsigned char* at, std::size_t left) {
  const unsigned char first = at[0];
  if (first < 0x80) return 1;
  if (left < 2) return 0;
  if (within(first, 0xC2, 0xDF)) return within(at[1], 0x80, 0xBF) ? 2 : 0;
  if (left < 3 || !within(at[2], 0x80, 0xBF)) return 0;
  if (within(first, 0xE0, 0xEF)) {
    const unsigned low = first == 0xE0 ? 0xA0 : 0x80;
    const unsigned high = first == 0xED ? 0x9F : 0xBF;
    return within(at[1], low, high) ? 3 : 0;
  }
  if (left < 4 || !within(at[3], 0x80, 0xBF) || !within(first, 0xF0, 0xF4)) return 0;
  const unsigned low = first == 0xF0 ? 0x90 : 0x80;
  const unsigned high = first == 0xF4 ? 0x8F : 0xBF;
  return within(at[1], low, high) ? 4 : 0;
}

/// Bytes at the front that are plain ASCII, eight at a time: payloads are mostly that.
std::size_t ascii_words(const unsigned char* at, std::size_t left) {
  std::size_t done = 0;
  while (left - done >= sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, at + done, sizeof word);
    if ((word & 0x8080808080808080U) != 0) break;
    done += sizeof word;
  }
  return done;
}

}  // namespace

bool valid_utf8(std::string_view text) noexcept {
  const auto* at = reinterpret_cast<const unsigned char*>(text.data());
  std::size_t left = text.size();
  while (left > 0) {
    std::size_t length = ascii_words(at, left);
    if (length == 0) length = sequence_length(at, left);
    if (length == 0) return false;
    at += length;
    left -= length;
  }
  return true;
}

std::string as_utf8(std::string_view text, std::size_t bytes_max) {
  constexpr std::string_view replacement = "\xEF\xBF\xBD";
  std::string clean;
  const auto* at = reinterpret_cast<const unsigned char*>(text.data());
  std::size_t left = text.size();
  while (left > 0) {
    const std::size_t length = *at == 0 ? 0 : sequence_length(at, left);
    const std::string_view character =
        length == 0 ? replacement : std::string_view(reinterpret_cast<const char*>(at), length);
    if (clean.size() + character.size() > bytes_max) break;
    clean += character;
    at += std::max<std::size_t>(length, 1);
    left -= std::max<std::size_t>(length, 1);
  }
  return clean;
}

}  // namespace holdfast::base
