#pragma once

#include <vector>

#include "bench/figures.hpp"
#include "bench/ground.hpp"
#include "bench/plan.hpp"
#include "bench/producer.hpp"

namespace holdfast::bench {

/// Answers the questions of the plan on one ground: medians of its runs, each run with its floors
/// beside it. Throws Interrupted, and Error.
[[nodiscard]] std::vector<Figure> measure(Ground& ground, Producer& producer, const Plan& plan);

}  // namespace holdfast::bench
