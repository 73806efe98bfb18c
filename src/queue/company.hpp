#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "holdfast/job.hpp"

namespace holdfast::queue {

/// Threads of one process that enqueue at the same moment share a transaction, so that they wait
/// for the disk together (group commit). While one group is written the next one gathers; who came
/// first into a group writes it. A thread alone waits for nobody.
///
/// Any thread. Each gets the answers, or the error, of its own jobs: when a group cannot be written
/// because of one of its rows, its members are written one by one.
class Company {
 public:
  /// Writes jobs in a transaction of their own and answers in their order, or throws.
  using Write = std::function<std::vector<Enqueued>(std::span<const NewJob>)>;

  /// More jobs than this in one call go by themselves: they are company enough.
  static constexpr std::size_t jobs_max = 16;

  /// Throws what `write` throws.
  [[nodiscard]] std::vector<Enqueued> enqueue(std::span<const NewJob> jobs, const Write& write);

 private:
  struct Member {
    std::span<const NewJob> jobs;
    std::vector<Enqueued> answers = {};
    std::exception_ptr error = {};
  };
  struct Group {
    std::vector<Member*> members = {};
    std::atomic<int> over = 0;  ///< what followers wait for, without the mutex
  };

  void lead(std::unique_lock<std::mutex>& lock, Group& group, const Write& write);
  void await_regulars(std::unique_lock<std::mutex>& lock, const Group& group);
  static void write_group(const Group& group, const Write& write);
  static void write_together(const Group& group, const Write& write);
  static void write_alone(Member& member, const Write& write);

  std::mutex mutex_;  // guards all below
  std::condition_variable changed_;
  std::shared_ptr<Group> gathering_;
  bool writing_ = false;
  std::size_t last_size_ = 0;  ///< members of the group before
};

}  // namespace holdfast::queue
