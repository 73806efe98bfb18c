#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "holdfast/time.hpp"
#include "worker/floor.hpp"
#include "worker/steady.hpp"

namespace holdfast::worker {

/// The jobs that one crew has claimed and not started, and how many more are worth claiming: what
/// idle threads can take, and what busy ones will take within 100 ms. Any thread.
class Lane {
 public:
  Lane(int threads, int batch) : batch_(batch), threads_(threads) {}

  /// Store thread: jobs to run, in order. False when the lane is closed and took none.
  [[nodiscard]] bool put(std::span<const AttemptPtr> attempts);

  struct Taken {
    AttemptPtr attempt;
    Steady at;
  };

  /// Waits for a job; nothing when the lane is closed or `stop` was raised.
  [[nodiscard]] std::optional<Taken> take(const std::stop_token& stop);

  /// The thread that took a job at this time can take another. `ran`: how long its handler took.
  void done(Steady taken_at, std::optional<Duration> ran);

  /// A thread is gone and was not replaced.
  void shrink();

  [[nodiscard]] int room(Steady now) const;
  [[nodiscard]] std::size_t buffered() const;

  /// Jobs that waited much longer than was expected, because handlers took longer than usual: they
  /// are better off with another worker.
  [[nodiscard]] std::vector<AttemptPtr> take_back(Steady now);

  /// All that waits, to be handed back.
  [[nodiscard]] std::vector<AttemptPtr> take_all();

  /// Nothing is taken any more. Returns what was waiting.
  [[nodiscard]] std::vector<AttemptPtr> close();

 private:
  struct Waiting {
    AttemptPtr attempt;
    Steady since;
  };
  [[nodiscard]] std::vector<AttemptPtr> empty_buffer();
  [[nodiscard]] int prefetch(Steady now) const;
  [[nodiscard]] int idle() const { return threads_ - static_cast<int>(busy_.size()); }

  const int batch_;
  mutable std::mutex mutex_;  // guards all below
  std::condition_variable_any filled_;
  std::deque<Waiting> buffer_;
  std::vector<Steady> busy_;  ///< since when each busy thread has its job
  int threads_;
  std::optional<double> average_us_;  ///< exponential average of a handler's run time
  bool closed_ = false;
};

}  // namespace holdfast::worker
