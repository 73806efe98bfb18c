#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "bench/work.hpp"
#include "holdfast/stop_token.hpp"
#include "holdfast/store.hpp"
#include "holdfast/worker.hpp"

namespace holdfast::bench {

/// Drains `jobs` jobs with one worker and handlers that do nothing. Seconds from the making of the
/// worker until the last end is written. Throws Interrupted, and Error when a job was left over.
[[nodiscard]] double seconds_to_drain(const Store& store, std::int64_t jobs,
                                      const stop_token& stop);

/// A worker with its default settings, on a thread of its own, that notes when the handler of each
/// numbered job was entered. Other jobs (with numbers from `count` on) are done and not noted.
class Served {
 public:
  Served(const Store& store, std::size_t count);
  ~Served();
  Served(const Served&) = delete;
  Served& operator=(const Served&) = delete;

  /// Waits until the job was entered at least once. Throws Interrupted and what ended the worker.
  void wait_for_all(const stop_token& stop);

  /// When each was entered, by its number.
  [[nodiscard]] std::vector<Steady> entered() const;

 private:
  Outcome note(std::int64_t number);

  mutable std::mutex mutex_;  // guards entered_, left_ and fault_
  std::condition_variable change_;
  std::vector<Steady> entered_;
  std::size_t left_;
  std::exception_ptr fault_;
  stop_source stop_;
  Worker worker_;
  std::jthread thread_;
};

}  // namespace holdfast::bench
