#include <algorithm>
#include <exception>
#include <thread>

#include "bench/questions.hpp"
#include "bench/served.hpp"

namespace holdfast::bench {

namespace {

/// The first signals find caches cold and connections that were just opened.
constexpr int warm_up = 20;

/// A clock that is read twice in a row does not always advance.
constexpr double shortest_ms = 0.001;

struct Waits {
  double p50 = 0;
  double p99 = 0;
};

/// From the return of a commit to what it set off. What began before the commit had returned to
/// its caller counts as no wait.
Waits waits_between(const std::vector<Steady>& sent, const std::vector<Steady>& arrived) {
  std::vector<double> waits;
  for (std::size_t i = warm_up; i < sent.size(); ++i) {
    waits.push_back(std::max(shortest_ms, milliseconds_between(sent[i], arrived[i])));
  }
  return {quantile(waits, 0.50), quantile(waits, 0.99)};
}

Signals signals_of(const Turn& turn) {
  return {warm_up + static_cast<int>(turn.jobs(300)), std::chrono::milliseconds(20)};
}

Waits bare(const Turn& turn) {
  const Address address = turn.ground.fresh_floor();
  const auto path = signal_path_at(address);
  const Signals signals = signals_of(turn);
  turn.producer.start_signals(address, signals);
  const auto arrived = path->receive(signals, turn.plan.stop);
  return waits_between(turn.producer.finish(turn.plan.stop), arrived);
}

Waits through_a_worker(const Turn& turn, const Address& address, const Store& store) {
  const Signals signals = signals_of(turn);
  Served served(store, static_cast<std::size_t>(signals.count));
  turn.producer.start_jobs(address, signals);
  const auto sent = turn.producer.finish(turn.plan.stop);
  served.wait_for_all(turn.plan.stop);
  return waits_between(sent, served.entered());
}

/// Other work: 50 jobs each 10 ms, in one transaction, enqueued by this process.
class Bustle {
 public:
  explicit Bustle(const Address& address)
      : store_(open(address)), thread_([this](const std::stop_token& stop) { go_on(stop); }) {}

  /// Ends it. Throws what ended it before.
  void finish() {
    thread_.request_stop();
    thread_.join();
    if (fault_) std::rethrow_exception(fault_);
  }

 private:
  void go_on(const std::stop_token& stop) {
    try {
      const std::vector<NewJob> jobs(50, job(1'000'000'000));
      Steady next = std::chrono::steady_clock::now();
      while (!stop.stop_requested()) {
        std::this_thread::sleep_until(next += std::chrono::milliseconds(10));
        static_cast<void>(store_.enqueue(jobs));
      }
    } catch (...) {
      fault_ = std::current_exception();
    }
  }

  Store store_;
  std::exception_ptr fault_;  ///< read when the thread has ended
  std::jthread thread_;
};

}  // namespace

void ask_wake(const Turn& turn) {
  const Waits floor = bare(turn);
  const Address address = turn.ground.fresh_queue();
  const Waits waits = through_a_worker(turn, address, open(address));
  turn.answers.add({"wake_p50_ms", "wake, p50", Unit::milliseconds, waits.p50, floor.p50});
  turn.answers.add({"wake_p99_ms", "wake, p99", Unit::milliseconds, waits.p99, floor.p99});
}

void ask_busy(const Turn& turn) {
  const Address address = turn.ground.fresh_queue();
  const Store store = open(address);
  Bustle bustle(address);
  const Waits waits = through_a_worker(turn, address, store);
  bustle.finish();
  turn.answers.add({"wake_busy_p50_ms", "wake while busy, p50", Unit::milliseconds, waits.p50, {}});
  turn.answers.add({"wake_busy_p99_ms", "wake while busy, p99", Unit::milliseconds, waits.p99, {}});
}

}  // namespace holdfast::bench
