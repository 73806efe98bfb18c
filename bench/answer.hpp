#pragma once

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace holdfast::bench {

/// One line of bench/results.md: a figure, and what it is to be read beside.
struct Line {
  std::string key = {};   ///< its name in JSON, unit last
  std::string what = {};  ///< for people
  double figure = 0;
  std::string unit = {};
  std::optional<double> against = {};
};

/// What a program of this folder was asked, and what it answers: rows of a Markdown table, or with
/// --json one object.
class Answer {
 public:
  /// [--json] [JOBS]. Ends the program when it is asked something else.
  Answer(int count, char** arguments, std::int64_t jobs) : jobs_(jobs) {
    for (int i = 1; i < count; ++i) {
      const std::string_view text = arguments[i];
      if (text == "--json") {
        json_ = true;
        continue;
      }
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), jobs_);
      if (error != std::errc{} || end != text.data() + text.size() || jobs_ < 1) {
        std::fprintf(stderr, "usage: %s [--json] [JOBS]\n", arguments[0]);
        std::exit(2);
      }
    }
  }

  [[nodiscard]] std::int64_t jobs() const { return jobs_; }

  void add(Line line) { lines_.push_back(std::move(line)); }

  void print() const {
    if (json_) return print_json();
    std::printf("| what | figure | against | ratio |\n| --- | ---: | ---: | ---: |\n");
    for (const Line& line : lines_) {
      std::printf(
          "| %s | %s | %s | %s |\n", line.what.c_str(), shown(line, line.figure).c_str(),
          line.against ? shown(line, *line.against).c_str() : "",
          line.against && *line.against > 0 ? digits(line.figure / *line.against).c_str() : "");
    }
  }

 private:
  static std::string digits(double value) {
    char text[32];
    std::snprintf(text, sizeof text, value >= 100 ? "%.0f" : "%.3g", value);
    return text;
  }

  static std::string shown(const Line& line, double value) {
    return digits(value) + (line.unit.empty() || line.unit.front() == '/' ? "" : " ") + line.unit;
  }

  void print_json() const {
    std::printf("{");
    const char* comma = "";
    for (const Line& line : lines_) {
      std::printf("%s\"%s\":%s", comma, line.key.c_str(), digits(line.figure).c_str());
      comma = ",";
      if (!line.against) continue;
      std::printf(",\"%s_against\":%s", line.key.c_str(), digits(*line.against).c_str());
    }
    std::printf("}\n");
  }

  std::int64_t jobs_;
  bool json_ = false;
  std::vector<Line> lines_;
};

}  // namespace holdfast::bench
