#include "cli/parse.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>

#include "cli/format.hpp"

namespace holdfast::cli {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string quoted(std::string_view text) { return "'" + for_terminal(text) + "'"; }

struct Unit {
  std::string_view name;
  Duration length;
};

constexpr std::array<Unit, 5> units{{{"ms", std::chrono::milliseconds(1)},
                                     {"s", std::chrono::seconds(1)},
                                     {"m", std::chrono::minutes(1)},
                                     {"h", std::chrono::hours(1)},
                                     {"d", std::chrono::hours(24)}}};

constexpr Duration longest = std::chrono::hours(24) * 365'000;

}  // namespace

Parsed<std::int64_t> parse_integer(std::string_view text, std::int64_t least, std::int64_t most) {
  using Answer = Parsed<std::int64_t>;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = end == text.data() + text.size();
  if (error == std::errc::invalid_argument || !whole) {
    return Answer::refused(quoted(text) + " is not a whole number");
  }
  if (error != std::errc{} || value < least || value > most) {
    return Answer::refused(quoted(text) + " is not between " + std::to_string(least) + " and " +
                           std::to_string(most));
  }
  return value;
}

Parsed<JobId> parse_id(std::string_view text) {
  return parse_integer(text, 1, 9'007'199'254'740'991);
}

Parsed<Duration> parse_duration(std::string_view text) {
  using Answer = Parsed<Duration>;
  const auto digits_end = std::find_if_not(text.begin(), text.end(), is_digit);
  const auto digits = static_cast<std::size_t>(digits_end - text.begin());
  const std::string_view name = text.substr(digits);
  const auto unit = std::find_if(units.begin(), units.end(),
                                 [&](const Unit& known) { return known.name == name; });
  if (digits == 0 || unit == units.end()) {
    return Answer::refused(quoted(text) +
                           " is not a length of time: give a whole number and a unit, such as "
                           "500ms, 5s, 10m, 2h or 1d");
  }
  const auto count = parse_integer(text.substr(0, digits), 0, longest / unit->length);
  if (!count) return Answer::refused(quoted(text) + " is longer than 365000d");
  return unit->length * *count;
}

Parsed<std::vector<std::string>> parse_names(std::string_view text) {
  std::vector<std::string> names;
  while (true) {
    const auto comma = text.find(',');
    names.emplace_back(text.substr(0, comma));
    if (names.back().empty()) {
      return Parsed<std::vector<std::string>>::refused("a name between the commas is empty");
    }
    if (names.back().front() == ' ' || names.back().back() == ' ') {
      return Parsed<std::vector<std::string>>::refused(
          "there is a blank beside a comma: write Q1,Q2");
    }
    if (comma == std::string_view::npos) return names;
    text.remove_prefix(comma + 1);
  }
}

Parsed<JobState> parse_state(std::string_view text) {
  if (const auto state = job_state(text)) return *state;
  return Parsed<JobState>::refused(quoted(text) +
                                   " is not a state: scheduled, retrying, ready, running, "
                                   "succeeded, cancelled, discarded or quarantined");
}

Parsed<OnConflict> parse_on_conflict(std::string_view text) {
  if (text == "keep") return OnConflict::keep;
  if (text == "replace") return OnConflict::replace;
  if (text == "reject") return OnConflict::reject;
  return Parsed<OnConflict>::refused(quoted(text) + " is not keep, replace or reject");
}

Parsed<Exec> parse_exec(std::string_view text) {
  const auto equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0 || equals + 1 == text.size()) {
    return Parsed<Exec>::refused(quoted(text) +
                                 " is not KIND=COMMAND, as in 'send_mail=python3 send_mail.py'");
  }
  return Exec{std::string(text.substr(0, equals)), std::string(text.substr(equals + 1))};
}

}  // namespace holdfast::cli
