#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "worker/lane.hpp"

namespace holdfast::worker {

struct Context;

/// A group of threads that run the jobs of one lane. A thread whose handler was given up on is let
/// go, and finds out when the handler returns, if ever: it touches nothing then but what it shares
/// in keeping.
class Crew : public std::enable_shared_from_this<Crew> {
 public:
  Crew(std::shared_ptr<Context> context, std::string name, int threads);

  void start();

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] Lane& lane() noexcept { return lane_; }

  /// Lets go of the thread that runs this attempt, with another in its place if asked for. False
  /// when none of the crew's threads runs it.
  [[nodiscard]] bool let_go(const detail::Attempt& attempt, bool replace);

  /// No thread takes another job; waiting ones are handed back.
  void close();

  /// Waits for the threads that were not let go.
  void join();

 private:
  struct Seat {
    std::jthread thread;
    AttemptPtr attempt = nullptr;
    Steady taken_at = {};
  };
  using SeatPtr = std::shared_ptr<Seat>;

  void seat_one();
  void work(const std::stop_token& stop, const SeatPtr& seat);
  void run_jobs(const std::stop_token& stop, const SeatPtr& seat);
  void sit(const SeatPtr& seat, const Lane::Taken& taken);
  [[nodiscard]] bool stand(const SeatPtr& seat);

  const std::shared_ptr<Context> context_;
  const std::string name_;
  Lane lane_;
  const int threads_;
  std::mutex mutex_;  // guards seats_ and what is in them
  std::list<SeatPtr> seats_;
};

}  // namespace holdfast::worker
