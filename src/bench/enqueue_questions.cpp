#include <algorithm>

#include "bench/questions.hpp"

namespace holdfast::bench {

namespace {

/// Returns how many it enqueued.
std::int64_t enqueue_singles(const Store& store, std::int64_t jobs, const stop_token& stop) {
  const Patience patience;
  std::int64_t done = 0;
  for (; done < jobs && !patience.over(); ++done) {
    require_going_on(stop);
    static_cast<void>(store.enqueue(job(done)));
  }
  return done;
}

/// Each thread with the store that `store_of` gives it.
double enqueue_from_threads(const std::vector<Store>& stores, std::int64_t jobs,
                            const stop_token& stop) {
  const std::int64_t each =
      std::max<std::int64_t>(1, jobs / static_cast<std::int64_t>(stores.size()));
  return per_second_together(stores.size(),
                             [&](std::size_t i) { return enqueue_singles(stores[i], each, stop); });
}

Figure from_threads(const Turn& turn, int threads) {
  const std::int64_t jobs = turn.jobs(20'000);
  const double floor = turn.fresh_floor()->enqueue_from(threads, jobs);
  const Store store = open(turn.ground.fresh_queue());
  const std::vector<Store> stores(static_cast<std::size_t>(threads), store);
  const std::string number = std::to_string(threads);
  return {"enqueue_" + number + "_threads_per_s", "enqueue from " + number + " threads",
          Unit::per_second, enqueue_from_threads(stores, jobs, turn.plan.stop), floor};
}

/// As so many programs with a connection each would.
Figure from_clients(const Turn& turn, int clients) {
  const std::int64_t jobs = turn.jobs(20'000);
  const double floor = turn.fresh_floor()->enqueue_from(clients, jobs);
  const Address address = turn.ground.fresh_queue();
  std::vector<Store> stores;
  for (int i = 0; i < clients; ++i) {
    stores.push_back(open(address));
    static_cast<void>(stores.back().versions());
  }
  const std::string number = std::to_string(clients);
  return {"enqueue_" + number + "_clients_per_s", "enqueue from " + number + " clients",
          Unit::per_second, enqueue_from_threads(stores, jobs, turn.plan.stop), floor};
}

}  // namespace

double enqueue_by_thousands(const Store& store, std::int64_t jobs, const stop_token& stop) {
  constexpr std::int64_t batch_max = 1000;
  std::vector<NewJob> batch;
  const Steady begin = std::chrono::steady_clock::now();
  for (std::int64_t done = 0; done < jobs;) {
    require_going_on(stop);
    batch.clear();
    const std::int64_t end = std::min(jobs, done + batch_max);
    for (; done < end; ++done) batch.push_back(job(done));
    static_cast<void>(store.enqueue(batch));
  }
  return per_second(jobs, begin);
}

void ask_enqueue(const Turn& turn) {
  const std::int64_t jobs = turn.jobs(5000);
  const double floor = turn.fresh_floor()->enqueue(jobs, 1);
  const Store store = open(turn.ground.fresh_queue());
  const Steady begin = std::chrono::steady_clock::now();
  const std::int64_t done = enqueue_singles(store, jobs, turn.plan.stop);
  turn.answers.add({"enqueue_one_per_s", "enqueue one by one", Unit::per_second,
                    per_second(done, begin), floor});
}

void ask_threads(const Turn& turn) {
  for (const int threads : {16, 64}) turn.answers.add(from_threads(turn, threads));
  // On SQLite the clients would only show how long they wait for each other.
  if (turn.ground.dialect() == Dialect::postgres) turn.answers.add(from_clients(turn, 16));
}

}  // namespace holdfast::bench
