// 300 jobs a second whose handlers take 200 ms: how late do they start, with a thread for each that
// runs (100 threads) and with handlers that answer later? JOBS: how many.

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "answer.hpp"
#include "arena.hpp"
#include "bench/figures.hpp"
#include "bench/producer.hpp"
#include "bench/served.hpp"
#include "holdfast/worker.hpp"

namespace holdfast::bench {
namespace {

constexpr std::chrono::milliseconds handler_time{200};

enum class Answers { by_thread, deferred };

/// Answers what was deferred when its time is over.
class Later {
 public:
  Later() : thread_([this](const std::stop_token& stop) { go_on(stop); }) {}

  void answer(Deferred deferred) {
    const std::lock_guard lock(mutex_);
    waiting_.push_back({std::chrono::steady_clock::now() + handler_time, std::move(deferred)});
    change_.notify_one();
  }

 private:
  struct Waiting {
    Steady due;
    Deferred deferred;
  };

  void go_on(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (change_.wait(lock, stop, [&] { return !waiting_.empty(); })) {
      Waiting first = std::move(waiting_.front());
      waiting_.pop_front();
      lock.unlock();
      std::this_thread::sleep_until(first.due);
      first.deferred.settle(done());
      lock.lock();
    }
  }

  std::mutex mutex_;  // guards waiting_
  std::condition_variable_any change_;
  std::deque<Waiting> waiting_;
  std::jthread thread_;
};

struct Observed {
  std::vector<double> waits;
  std::int64_t leases_lost = 0;
};

class Crew {
 public:
  Crew(const Store& store, std::size_t jobs, Answers answers)
      : entered_(jobs),
        left_(jobs),
        worker_(store, handlers(answers), options(answers)),
        thread_([this] { report_ = worker_.run(stop_.get_token()); }) {}

  Observed finish(const std::vector<Steady>& sent) {
    {
      std::unique_lock lock(mutex_);
      change_.wait_for(lock, std::chrono::minutes(1), [&] { return left_ == 0; });
    }
    stop_.request_stop();
    thread_.join();
    Observed observed{{}, report_.leases_lost};
    for (std::size_t i = 0; i < sent.size(); ++i) {
      observed.waits.push_back(std::max(0.0, milliseconds_between(sent[i], entered_[i])));
    }
    return observed;
  }

 private:
  static WorkerOptions options(Answers answers) {
    WorkerOptions options;
    options.queues["default"].threads = answers == Answers::by_thread ? 100 : 1;
    return options;
  }

  Handlers handlers(Answers answers) {
    Handlers handlers;
    handlers.on(std::string(job_kind), [this, answers](Run& run) {
      note(number_in(run.job().payload));
      if (answers == Answers::deferred) {
        later_.answer(run.defer());
        return deferred();
      }
      std::this_thread::sleep_for(handler_time);
      return done();
    });
    return handlers;
  }

  void note(std::int64_t number) {
    const Steady now = std::chrono::steady_clock::now();
    const std::lock_guard lock(mutex_);
    entered_.at(static_cast<std::size_t>(number)) = now;
    if (--left_ == 0) change_.notify_all();
  }

  std::mutex mutex_;  // guards entered_ and left_
  std::condition_variable change_;
  std::vector<Steady> entered_;
  std::size_t left_;
  Later later_;
  stop_source stop_;
  WorkerReport report_;
  Worker worker_;
  std::jthread thread_;
};

void ask_on(Ground& ground, Producer& producer, const std::string& name, const std::string& key,
            Answer& answer) {
  for (const Answers answers : {Answers::by_thread, Answers::deferred}) {
    const Address address = ground.fresh_queue();
    const Signals signals{static_cast<int>(answer.jobs()), std::chrono::microseconds(3333)};
    Crew crew(open(address), static_cast<std::size_t>(signals.count), answers);
    producer.start_jobs(address, signals);
    const Observed observed = crew.finish(producer.finish({}));
    const bool threads = answers == Answers::by_thread;
    const std::string what =
        name + ", 300 jobs/s of 200 ms, " + (threads ? "100 threads" : "deferred");
    const std::string begins = key + "_slow_handlers_" + (threads ? "threads" : "deferred");
    answer.add({begins + "_start_p50_ms",
                what + ", commit to start, p50",
                quantile(observed.waits, 0.5),
                "ms",
                {}});
    answer.add({begins + "_start_p99_ms",
                what + ", commit to start, p99",
                quantile(observed.waits, 0.99),
                "ms",
                {}});
    answer.add({begins + "_leases_lost",
                what + ", leases lost",
                static_cast<double>(observed.leases_lost),
                "",
                {}});
  }
}

}  // namespace
}  // namespace holdfast::bench

int main(int count, char** arguments) {
  using namespace holdfast::bench;
  Answer answer(count, arguments, 2400);
  const int status = run_program([&] {
    Producer producer;  // forks, so it comes before the server and its thread
    Arena arena;
    arena.on_both(
        [&](auto& ground, auto& name, auto& key) { ask_on(ground, producer, name, key, answer); });
  });
  answer.print();
  return status;
}
