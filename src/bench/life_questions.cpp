#include <algorithm>
#include <array>

#include "bench/claim_loop.hpp"
#include "bench/questions.hpp"
#include "bench/served.hpp"
#include "holdfast/worker.hpp"

namespace holdfast::bench {

namespace {

constexpr int enqueue_batch = 1000;

/// Rates of the parts of a life, and of the whole: everything is added, then everything is done.
struct Life {
  double added = 0;
  double done = 0;
  [[nodiscard]] double whole() const { return 1 / (1 / added + 1 / done); }
};

Life life_by_hand(const Turn& turn, std::int64_t jobs) {
  const auto floor = turn.fresh_floor();
  Life life;
  life.added = floor->enqueue(jobs, enqueue_batch);
  floor->settle_down();
  life.done = floor->claim_settle(jobs, WorkerOptions{}.batch);
  return life;
}

Life life_of_holdfast(const Turn& turn, std::int64_t jobs) {
  const Store store = open(turn.ground.fresh_queue());
  Life life;
  life.added = enqueue_by_thousands(store, jobs, turn.plan.stop);
  turn.ground.settle_down(store);
  life.done = static_cast<double>(jobs) / seconds_to_drain(store, jobs, turn.plan.stop);
  return life;
}

Figure claimed_by(const Turn& turn, int batch) {
  const std::int64_t jobs = turn.jobs(std::max<std::int64_t>(3000, batch * std::int64_t{300}));
  const auto floor = turn.fresh_floor();
  static_cast<void>(floor->enqueue(jobs, enqueue_batch));
  floor->settle_down();
  const double by_hand = floor->claim_settle(jobs, batch);
  const Store store = open(turn.ground.fresh_queue());
  enqueue_by_thousands(store, jobs, turn.plan.stop);
  turn.ground.settle_down(store);
  const std::string number = std::to_string(batch);
  return {"claim_settle_batch_" + number + "_per_s", "claim+settle by " + number, Unit::per_second,
          ClaimLoop(store).run(jobs, batch, turn.plan.stop), by_hand};
}

}  // namespace

void ask_life(const Turn& turn) {
  const std::int64_t jobs = turn.plan.jobs;
  const Life floor = life_by_hand(turn, jobs);
  const Life life = life_of_holdfast(turn, jobs);
  Runs& answers = turn.answers;
  answers.add(
      {"enqueue_batch_per_s", "enqueue by 1,000", Unit::per_second, life.added, floor.added});
  answers.add(
      {"claim_settle_per_s", "claim+settle by a worker", Unit::per_second, life.done, floor.done});
  answers.add({"life_per_s", "whole life", Unit::per_second, life.whole(), floor.whole()});
}

void ask_claim(const Turn& turn) {
  for (const int batch : {1, 32, 128, 500}) turn.answers.add(claimed_by(turn, batch));
}

}  // namespace holdfast::bench
