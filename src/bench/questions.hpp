#pragma once

#include "bench/figures.hpp"
#include "bench/ground.hpp"
#include "bench/plan.hpp"
#include "bench/producer.hpp"

namespace holdfast::bench {

/// One run on one ground, and where its answers go.
struct Turn {
  Ground& ground;
  Producer& producer;
  const Plan& plan;
  Runs& answers;

  /// Jobs for a question that is slow: as many as planned, but at most this.
  [[nodiscard]] std::int64_t jobs(std::int64_t most) const;

  [[nodiscard]] std::unique_ptr<Floor> fresh_floor() const {
    return floor_at(ground.fresh_floor(), plan.stop);
  }
};

void ask_enqueue(const Turn& turn);
void ask_threads(const Turn& turn);
void ask_life(const Turn& turn);
void ask_claim(const Turn& turn);
void ask_wake(const Turn& turn);
void ask_busy(const Turn& turn);
void ask_beside(const Turn& turn);

/// Adds jobs by 1,000 in a transaction; jobs per second.
double enqueue_by_thousands(const Store& store, std::int64_t jobs, const stop_token& stop);

}  // namespace holdfast::bench
