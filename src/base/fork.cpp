#include "base/fork.hpp"

#include <pthread.h>

#include <atomic>

namespace holdfast::base {

namespace {

std::atomic<std::uint64_t> generation{0};

void count_fork() { generation.fetch_add(1, std::memory_order_relaxed); }

}  // namespace

std::uint64_t fork_generation() noexcept {
  // Registered at the first question: earlier forks are nobody's concern.
  [[maybe_unused]] static const int registered = ::pthread_atfork(nullptr, nullptr, count_fork);
  return generation.load(std::memory_order_relaxed);
}

}  // namespace holdfast::base
