#include "db/postgres_params.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/utf8.hpp"
#include "holdfast/error.hpp"

namespace holdfast::db {

namespace {

/// What the wire protocol can count.
constexpr std::size_t params_max = 65535;

/// std::to_chars gives the shortest text that reads back as the same number.
template <class Number>
std::string shortest(Number value) {
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return {buffer.data(), end};
}

std::string to_text(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Infinity" : "Infinity";
  return shortest(value);
}

std::string to_text(const Value& value, std::string_view statement) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return shortest(*integer);
  if (const auto* real = std::get_if<double>(&value)) return to_text(*real);
  const auto* text = std::get_if<std::string_view>(&value);
  if (text == nullptr) return {};
  require_text(*text, statement);
  return std::string(*text);
}

}  // namespace

void require_text(std::string_view text, std::string_view statement) {
  if (text.find('\0') != std::string_view::npos) {
    throw Error(Code::invalid, "text must not contain a zero byte", std::string(statement));
  }
  if (!base::valid_utf8(text)) {
    throw Error(Code::invalid, "text must be valid UTF-8", std::string(statement));
  }
}

TextParams::TextParams(Params params, std::string_view statement) {
  if (params.size() > params_max) {
    throw Error(Code::misuse, "a statement takes at most 65535 parameters", std::string(statement));
  }
  texts_.reserve(params.size());
  pointers_.reserve(params.size());
  for (const Value& value : params) {
    texts_.push_back(to_text(value, statement));
    const bool is_null = std::holds_alternative<std::monostate>(value);
    pointers_.push_back(is_null ? nullptr : texts_.back().c_str());
  }
}

}  // namespace holdfast::db
