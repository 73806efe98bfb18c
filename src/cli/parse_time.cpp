#include <chrono>
#include <optional>

#include "cli/format.hpp"
#include "cli/parse.hpp"

namespace holdfast::cli {

namespace {

/// Reads a time from the left, one part after the other. After the first part that does not fit,
/// `good` stays false and everything that follows is 0.
struct Reader {
  std::string_view rest;
  bool good = true;

  char take() {
    if (rest.empty()) {
      good = false;
      return '\0';
    }
    const char first = rest.front();
    rest.remove_prefix(1);
    return first;
  }

  void expect(std::string_view any_of) {
    if (any_of.find(take()) == std::string_view::npos) good = false;
  }

  int digit() {
    const char c = take();
    if (c < '0' || c > '9') good = false;
    return good ? c - '0' : 0;
  }

  int number(int digits) {
    int value = 0;
    for (int i = 0; i < digits; ++i) value = value * 10 + digit();
    return value;
  }

  int number(int digits, int most) {
    const int value = number(digits);
    if (value > most) good = false;
    return good ? value : 0;
  }

  /// The digits after a decimal point as microseconds; 0 without a point.
  Duration fraction() {
    if (rest.empty() || rest.front() != '.') return Duration{0};
    take();
    Duration::rep micros = 0;
    int digits = 0;
    for (; !rest.empty() && rest.front() >= '0' && rest.front() <= '9'; ++digits) {
      const int next = digit();
      if (digits < 6) micros = micros * 10 + next;
    }
    if (digits == 0) good = false;
    for (; digits < 6; ++digits) micros *= 10;
    return Duration(micros);
  }
};

/// Z, +02:00 or -05:30: what local time is ahead of UTC.
std::chrono::minutes zone(Reader& in) {
  const char sign = in.take();
  if (sign == 'Z' || sign == 'z') return std::chrono::minutes(0);
  if (sign != '+' && sign != '-') in.good = false;
  const int hours = in.number(2, 23);
  in.expect(":");
  const std::chrono::minutes ahead(hours * 60 + in.number(2, 59));
  return sign == '-' ? -ahead : ahead;
}

std::optional<Time> read_rfc3339(std::string_view text) {
  Reader in{text};
  const std::chrono::year year(in.number(4));
  in.expect("-");
  const std::chrono::month month(static_cast<unsigned>(in.number(2)));
  in.expect("-");
  const std::chrono::day day(static_cast<unsigned>(in.number(2)));
  in.expect("Tt ");
  const std::chrono::hours hours(in.number(2, 23));
  in.expect(":");
  const std::chrono::minutes minutes(in.number(2, 59));
  in.expect(":");
  const std::chrono::seconds seconds(in.number(2, 59));
  const Duration fraction = in.fraction();
  const std::chrono::minutes ahead = zone(in);
  const std::chrono::year_month_day date(year, month, day);
  if (!in.good || !in.rest.empty() || !date.ok()) return std::nullopt;
  return Time(std::chrono::sys_days(date)) + hours + minutes + seconds + fraction - ahead;
}

std::optional<Time> read_unix(std::string_view text) {
  const auto point = text.find('.');
  const auto seconds = parse_integer(text.substr(0, point), 0, 253'402'300'799);
  Reader in{point == std::string_view::npos ? std::string_view{} : text.substr(point)};
  const Duration fraction = in.fraction();
  if (!seconds || !in.good || !in.rest.empty()) return std::nullopt;
  return Time(std::chrono::seconds(*seconds) + fraction);
}

constexpr Time first{Duration{0}};
constexpr Time last{Duration{253'402'300'799'999'999}};

}  // namespace

Parsed<Time> parse_time(std::string_view text) {
  const bool is_unix = text.starts_with('@');
  const auto time = is_unix ? read_unix(text.substr(1)) : read_rfc3339(text);
  if (time && *time >= first && *time <= last) return *time;
  return Parsed<Time>::refused("'" + for_terminal(text) +
                               "' is not a time from 1970 to 9999: give a date, a time and a zone, "
                               "such as 2026-01-31T12:00:00Z or 2026-01-31T13:00:00+01:00, or @ "
                               "and Unix seconds");
}

}  // namespace holdfast::cli
