#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <future>
#include <mutex>
#include <thread>

#include "conformance/queue_test.hpp"
#include "holdfast/worker.hpp"

namespace holdfast::test {

/// Long enough for anything that should happen at once, also under a sanitizer on a busy machine.
inline constexpr std::chrono::seconds patience{30};

/// Something that happens once. Any thread.
class Signal {
 public:
  void raise() {
    const std::lock_guard lock(mutex_);
    raised_ = true;
    changed_.notify_all();
  }

  /// False when it did not happen in time.
  [[nodiscard]] bool wait(Duration limit = patience) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, limit, [&] { return raised_; });
  }

 private:
  std::mutex mutex_;  // guards raised_
  std::condition_variable changed_;
  bool raised_ = false;
};

/// Waits until the database shows something.
[[nodiscard]] inline bool eventually(const std::function<bool()>& holds) {
  const auto give_up = std::chrono::steady_clock::now() + patience;
  while (!holds()) {
    if (std::chrono::steady_clock::now() > give_up) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

/// Waits for the stop token, as a handler that obeys it does.
inline void wait_for(const stop_token& stop) {
  Signal stopped;
  const std::stop_callback callback(stop, [&] { stopped.raise(); });
  (void)stopped.wait();
}

/// Options with short times; the default queue with one thread.
[[nodiscard]] inline WorkerOptions quick() {
  WorkerOptions options;
  options.lease = std::chrono::seconds(2);
  options.grace = patience;
  options.stop_grace = std::chrono::milliseconds(200);
  options.timeout_grace = std::chrono::milliseconds(100);
  options.poll = std::chrono::milliseconds(5);
  options.maintenance = std::chrono::milliseconds(50);
  return options;
}

/// A worker in a thread of its own, stopped at the end of the scope.
class RunningWorker {
 public:
  RunningWorker(const Store& store, Handlers handlers, WorkerOptions options = quick())
      : worker_(store, std::move(handlers), std::move(options)) {
    std::promise<WorkerReport> promise;
    report_ = promise.get_future();
    thread_ = std::jthread([this, promise = std::move(promise)](stop_token stop) mutable {
      try {
        promise.set_value(worker_.run(stop));
      } catch (...) {
        promise.set_exception(std::current_exception());
      }
    });
  }

  Worker& worker() { return worker_; }
  void request_stop() { thread_.request_stop(); }

  /// Waits for run() to return by itself, or after a stop.
  [[nodiscard]] WorkerReport report() { return report_.get(); }
  [[nodiscard]] WorkerReport stop() {
    request_stop();
    return report();
  }

 private:
  Worker worker_;
  std::future<WorkerReport> report_;
  std::jthread thread_;
};

/// The suite for workers: a queue in each kind of database.
class WorkerTest : public QueueTest {
 protected:
  using Run = holdfast::Run;  // not GoogleTest's

  [[nodiscard]] JobId enqueue(const std::string& kind, EnqueueOptions options = {},
                              const std::string& payload = "{}") {
    return q.store().enqueue(NewJob{kind, payload, std::move(options)}).id;
  }
  [[nodiscard]] bool reaches(JobId id, JobState state) {
    return eventually([&] { return row(id).state == state; });
  }

  /// As the store sees it, by the clock that workers go by.
  [[nodiscard]] JobRow row(JobId id) { return q.store().find(id).value(); }
  [[nodiscard]] JobState state(JobId id) { return row(id).state; }
};

inline const auto healthy_backends =
    ::testing::Values(Backend::memory, Backend::file, Backend::postgres);
inline const auto faulty_backends =
    ::testing::Values(Backend::memory_faulty, Backend::file_faulty, Backend::postgres_faulty);

}  // namespace holdfast::test
