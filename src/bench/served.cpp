#include "bench/served.hpp"

#include <stop_token>

#include "bench/plan.hpp"
#include "holdfast/error.hpp"

namespace holdfast::bench {

namespace {

Handlers handlers_of(Handler handler) {
  Handlers handlers;
  handlers.on(std::string(job_kind), std::move(handler));
  return handlers;
}

}  // namespace

double seconds_to_drain(const Store& store, std::int64_t jobs, const stop_token& stop) {
  std::atomic<std::int64_t> handled = 0;
  stop_source enough;
  const Steady begin = std::chrono::steady_clock::now();
  Worker worker(store, handlers_of([&](Run&) {
                  if (++handled == jobs) enough.request_stop();
                  return done();
                }));
  const std::stop_callback interrupted(stop, [&] {
    enough.request_stop();
    worker.hurry();
  });
  const WorkerReport report = worker.run(enough.get_token());
  const double seconds = milliseconds_between(begin, std::chrono::steady_clock::now()) / 1000;
  require_going_on(stop);
  if (report.succeeded != jobs) {
    throw Error(Code::internal, "benchmark: " + std::to_string(report.succeeded) + " of " +
                                    std::to_string(jobs) + " jobs were done by the worker");
  }
  return seconds;
}

Served::Served(const Store& store, std::size_t count)
    : entered_(count),
      left_(count),
      worker_(store, handlers_of([this](Run& run) { return note(number_in(run.job().payload)); })),
      thread_([this] {
        try {
          worker_.run(stop_.get_token());
        } catch (...) {
          const std::lock_guard lock(mutex_);
          fault_ = std::current_exception();
          change_.notify_all();
        }
      }) {}

Served::~Served() { stop_.request_stop(); }

Outcome Served::note(std::int64_t number) {
  const Steady now = std::chrono::steady_clock::now();
  const auto index = static_cast<std::size_t>(number);
  const std::lock_guard lock(mutex_);
  if (index < entered_.size() && entered_[index] == Steady{}) {
    entered_[index] = now;
    if (--left_ == 0) change_.notify_all();
  }
  return done();
}

void Served::wait_for_all(const stop_token& stop) {
  constexpr std::chrono::seconds limit{30};
  const Steady end = std::chrono::steady_clock::now() + limit;
  std::unique_lock lock(mutex_);
  while (left_ > 0 && !fault_) {
    require_going_on(stop);
    change_.wait_for(lock, std::chrono::milliseconds(50));
    if (std::chrono::steady_clock::now() > end) {
      throw Error(Code::internal, "benchmark: " + std::to_string(left_) + " jobs were not started");
    }
  }
  if (fault_) std::rethrow_exception(fault_);
}

std::vector<Steady> Served::entered() const {
  const std::lock_guard lock(mutex_);
  return entered_;
}

}  // namespace holdfast::bench
