#pragma once

#include <optional>
#include <string>
#include <vector>

namespace holdfast::bench {

/// What a figure counts. Of rates more is better, of times less.
enum class Unit { per_second, milliseconds, count };

/// One answer: what Holdfast does, and what the same work by hand does in the same run.
struct Figure {
  std::string key = {};   ///< its name in JSON, unit last: enqueue_one_per_s
  std::string what = {};  ///< for people
  Unit unit = Unit::per_second;
  double holdfast = 0;
  std::optional<double> floor = {};  ///< of Question::beside: the same without the other

  /// Holdfast divided by the floor.
  [[nodiscard]] std::optional<double> ratio() const;
};

/// The figures of several runs, in the order in which they were first seen.
class Runs {
 public:
  void add(Figure figure);

  /// Each with the medians of its runs.
  [[nodiscard]] std::vector<Figure> medians() const;

 private:
  struct Samples {
    Figure first;
    std::vector<double> holdfast;
    std::vector<double> floor;
  };
  std::vector<Samples> all_;
};

/// The value that `share` (0 … 1) of the others do not exceed; 0 of none.
[[nodiscard]] double quantile(std::vector<double> values, double share);

/// The lower of the two in the middle when there are two.
[[nodiscard]] double median(std::vector<double> values);

}  // namespace holdfast::bench
