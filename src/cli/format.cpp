#include "cli/format.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>

#include "cli/utf8.hpp"

namespace holdfast::cli {

namespace {

bool is_control(char32_t c) { return c < 0x20 || (c >= 0x7f && c <= 0x9f); }

/// Marks, embeddings, overrides and isolates: with them a name can be made to read as another one.
bool turns_writing(char32_t c) {
  return c == 0x061c || c == 0x200e || c == 0x200f || (c >= 0x202a && c <= 0x202e) ||
         (c >= 0x2066 && c <= 0x2069) || c == 0x2028 || c == 0x2029;
}

std::string escape(char32_t c) {
  if (c == U'\n') return "\\n";
  if (c == U'\r') return "\\r";
  if (c == U'\t') return "\\t";
  if (c < 0x80) return fmt::format("\\x{:02x}", static_cast<unsigned>(c));
  return fmt::format("\\u{{{:x}}}", static_cast<unsigned>(c));
}

std::string escaped(std::string_view text, bool lines) {
  std::string out;
  out.reserve(text.size());
  for_each_character(text, [&](std::string_view bytes, std::optional<char32_t> c) {
    const bool keep = lines && (c == U'\n' || c == U'\t');
    if (!c) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(bytes.front()));
    } else if (!keep && (is_control(*c) || turns_writing(*c))) {
      out += escape(*c);
    } else {
      out += bytes;
    }
  });
  return out;
}

}  // namespace

std::string format_time(Time time) {
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss<Duration> clock(time - day);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:06}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count(),
                     clock.subseconds().count());
}

std::string format_duration(Duration duration) {
  struct Unit {
    std::string_view name;
    std::int64_t millis;
  };
  static constexpr std::array<Unit, 4> units{
      {{"d", 86'400'000}, {"h", 3'600'000}, {"m", 60'000}, {"s", 1'000}}};
  const std::int64_t millis = duration.count() / 1000;
  for (const Unit& unit : units) {
    if (millis != 0 && millis % unit.millis == 0) {
      return fmt::format("{}{}", millis / unit.millis, unit.name);
    }
  }
  return fmt::format("{}ms", millis);
}

std::string for_terminal(std::string_view text) { return escaped(text, false); }

std::string for_terminal_lines(std::string_view text) { return escaped(text, true); }

std::size_t width_of(std::string_view text) {
  std::size_t width = 0;
  for (const char byte : text) {
    if ((static_cast<unsigned char>(byte) & 0xc0U) != 0x80U) ++width;
  }
  return width;
}

std::string cut(std::string_view text, std::size_t width) {
  if (width_of(text) <= width) return std::string(text);
  if (width == 0) return {};
  std::string out;
  std::size_t taken = 0;
  for_each_character(text, [&](std::string_view bytes, std::optional<char32_t>) {
    if (++taken < width) out += bytes;
  });
  return out + "…";
}

std::string for_storage(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for_each_character(text, [&](std::string_view bytes, std::optional<char32_t> c) {
    if (!c) {
      out += "\uFFFD";
    } else if (is_control(*c) && c != U'\n' && c != U'\t') {
      out += '?';
    } else {
      out += bytes;
    }
  });
  return out;
}

}  // namespace holdfast::cli
