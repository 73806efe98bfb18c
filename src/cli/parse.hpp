#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "holdfast/job.hpp"
#include "holdfast/time.hpp"

namespace holdfast::cli {

/// The answer of a parser: a value, or the sentence that says what is wrong with the text. Reading
/// what people type fails so often that it is an answer and not an exception.
template <class T>
class Parsed {
 public:
  Parsed(T value) : value_(std::move(value)) {}  // NOLINT(google-explicit-constructor)
  [[nodiscard]] static Parsed refused(std::string fault) { return Parsed(Fault{std::move(fault)}); }

  explicit operator bool() const noexcept { return value_.has_value(); }
  const T& operator*() const { return value_.value(); }
  const T* operator->() const { return &value_.value(); }

  /// Why there is no value; empty when there is one.
  [[nodiscard]] const std::string& fault() const noexcept { return fault_; }

 private:
  struct Fault {
    std::string text;
  };
  explicit Parsed(Fault fault) : fault_(std::move(fault.text)) {}

  std::optional<T> value_;
  std::string fault_;
};

/// Decimal digits with an optional minus sign, nothing else, least … most.
[[nodiscard]] Parsed<std::int64_t> parse_integer(std::string_view text, std::int64_t least,
                                                 std::int64_t most);

/// A job's id: 1 … 2^53-1.
[[nodiscard]] Parsed<JobId> parse_id(std::string_view text);

/// A whole number and a unit: 500ms, 5s, 10m, 2h, 1d. At most 365,000 days; never negative.
[[nodiscard]] Parsed<Duration> parse_duration(std::string_view text);

/// RFC 3339 with a zone (2026-01-31T12:00:00Z, …12:00:00.5+02:00) or @ and Unix seconds
/// (@1769860800, @1769860800.25); 1970 … 9999. Digits below a microsecond are dropped.
[[nodiscard]] Parsed<Time> parse_time(std::string_view text);

/// Names between commas, none of them empty.
[[nodiscard]] Parsed<std::vector<std::string>> parse_names(std::string_view text);

[[nodiscard]] Parsed<JobState> parse_state(std::string_view text);
[[nodiscard]] Parsed<OnConflict> parse_on_conflict(std::string_view text);

/// What runs the jobs of a kind.
struct Exec {
  std::string kind = {};
  std::string command = {};
};

/// KIND=COMMAND. The first equals sign ends the kind; the command may hold more of them.
[[nodiscard]] Parsed<Exec> parse_exec(std::string_view text);

}  // namespace holdfast::cli
