#include "bench/figures.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace holdfast::bench {

namespace {

double at(std::vector<double> values, std::size_t index) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[std::min(index, values.size() - 1)];
}

}  // namespace

std::optional<double> Figure::ratio() const {
  if (!floor || *floor <= 0) return std::nullopt;
  return holdfast / *floor;
}

void Runs::add(Figure figure) {
  auto known = std::find_if(all_.begin(), all_.end(), [&](const Samples& samples) {
    return samples.first.key == figure.key;
  });
  if (known == all_.end()) known = all_.insert(all_.end(), Samples{figure, {}, {}});
  known->holdfast.push_back(figure.holdfast);
  if (figure.floor) known->floor.push_back(*figure.floor);
}

std::vector<Figure> Runs::medians() const {
  std::vector<Figure> figures;
  for (const Samples& samples : all_) {
    Figure figure = samples.first;
    figure.holdfast = median(samples.holdfast);
    if (!samples.floor.empty()) figure.floor = median(samples.floor);
    figures.push_back(std::move(figure));
  }
  return figures;
}

double quantile(std::vector<double> values, double share) {
  const auto index = static_cast<std::size_t>(share * static_cast<double>(values.size()));
  return at(std::move(values), index);
}

double median(std::vector<double> values) {
  const std::size_t index = values.empty() ? 0 : (values.size() - 1) / 2;
  return at(std::move(values), index);
}

}  // namespace holdfast::bench
