#pragma once

#include <signal.h>

#include <functional>
#include <thread>

#include "cli/descriptor.hpp"

namespace holdfast::cli {

/// Turns SIGTERM and SIGINT into calls. Make it before any other thread starts: it blocks both
/// signals in the calling thread, whose mask later threads inherit, and ignores SIGPIPE.
class Signals {
 public:
  /// `received` is called on a thread of ours with 1 for the first signal, 2 for the second, …
  explicit Signals(std::function<void(int count)> received);

  /// Calls nothing any more. The signals stay blocked: a worker that is on its way out is not
  /// ended by one more of them.
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

 private:
  void watch(const std::function<void(int)>& received) const;

  Descriptor signals_;
  Descriptor end_;
  std::thread thread_;
};

}  // namespace holdfast::cli
