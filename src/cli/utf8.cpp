#include "cli/utf8.hpp"

#include <cstddef>
#include <cstdint>

namespace holdfast::cli {

namespace {

struct Lead {
  std::size_t length;
  char32_t bits;
  char32_t least;  ///< below it the form is overlong
};

std::optional<Lead> lead_of(unsigned char byte) {
  if (byte < 0x80) return Lead{1, byte, 0};
  if ((byte & 0xe0U) == 0xc0U) return Lead{2, byte & 0x1fU, 0x80};
  if ((byte & 0xf0U) == 0xe0U) return Lead{3, byte & 0x0fU, 0x800};
  if ((byte & 0xf8U) == 0xf0U) return Lead{4, byte & 0x07U, 0x10000};
  return std::nullopt;
}

struct Decoded {
  std::size_t length = 1;
  std::optional<char32_t> c = {};
};

Decoded decode(std::string_view text) {
  const auto lead = lead_of(static_cast<unsigned char>(text.front()));
  if (!lead || lead->length > text.size()) return {};
  char32_t c = lead->bits;
  for (std::size_t i = 1; i < lead->length; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xc0U) != 0x80U) return {};
    c = (c << 6U) | (byte & 0x3fU);
  }
  const bool surrogate = c >= 0xd800 && c <= 0xdfff;
  if (c < lead->least || c > 0x10ffff || surrogate) return {};
  return {lead->length, c};
}

}  // namespace

void for_each_character(std::string_view text, const CharacterSink& sink) {
  while (!text.empty()) {
    const Decoded next = decode(text);
    sink(text.substr(0, next.length), next.c);
    text.remove_prefix(next.length);
  }
}

}  // namespace holdfast::cli
