#include <algorithm>
#include <thread>

#include "bench/questions.hpp"
#include "bench/served.hpp"

namespace holdfast::bench {

namespace {

/// As long as an application is watched alone.
constexpr std::chrono::milliseconds watched{1000};

struct Writes {
  std::vector<double> milliseconds;
  int refused = 0;
};

Writes writes_of(const std::vector<Steady>& times) {
  Writes writes;
  for (std::size_t i = 0; i + 1 < times.size(); i += 2) {
    if (times[i] == times[i + 1]) {
      ++writes.refused;
    } else {
      writes.milliseconds.push_back(milliseconds_between(times[i], times[i + 1]));
    }
  }
  return writes;
}

void start_application(const Turn& turn, const Address& address) {
  turn.producer.start_writes(address, {1400, std::chrono::milliseconds(10)});
}

Writes application_alone(const Turn& turn) {
  start_application(turn, turn.ground.fresh_queue());
  std::this_thread::sleep_for(watched);
  turn.producer.end_writes();
  return writes_of(turn.producer.finish(turn.plan.stop));
}

Address filled(const Turn& turn) {
  const Address address = turn.ground.fresh_queue();
  const Store store = open(address);
  enqueue_by_thousands(store, turn.plan.jobs, turn.plan.stop);
  turn.ground.settle_down(store);
  return address;
}

double drain_rate(const Turn& turn, const Address& address) {
  return static_cast<double>(turn.plan.jobs) /
         seconds_to_drain(open(address), turn.plan.jobs, turn.plan.stop);
}

}  // namespace

void ask_beside(const Turn& turn) {
  const double lone = drain_rate(turn, filled(turn));
  const Writes alone = application_alone(turn);
  const Address address = filled(turn);
  start_application(turn, address);
  const double beside = drain_rate(turn, address);
  turn.producer.end_writes();
  const Writes writes = writes_of(turn.producer.finish(turn.plan.stop));
  const auto time = [&](const char* name, const char* what, double share) {
    turn.answers.add({name, what, Unit::milliseconds, quantile(writes.milliseconds, share),
                      quantile(alone.milliseconds, share)});
  };
  turn.answers.add({"beside_drain_per_s", "drain beside writes", Unit::per_second, beside, lone});
  time("beside_write_p50_ms", "write beside drain, p50", 0.50);
  time("beside_write_p99_ms", "write beside drain, p99", 0.99);
  time("beside_write_max_ms", "write beside drain, max", 1);
  turn.answers.add({"beside_write_errors",
                    "write beside drain, errors",
                    Unit::count,
                    static_cast<double>(writes.refused),
                    {}});
}

}  // namespace holdfast::bench
