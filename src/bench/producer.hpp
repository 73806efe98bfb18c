#pragma once

#include <sys/types.h>

#include <vector>

#include "bench/ground.hpp"

namespace holdfast::bench {

/// Another process, which enqueues: what a worker learns of its commits it learns through the
/// database. Forked when it is made, so that must be before the program has threads. Ends with the
/// program, however that ends.
class Producer {
 public:
  Producer();
  ~Producer();
  Producer(const Producer&) = delete;
  Producer& operator=(const Producer&) = delete;

  /// Begins to enqueue jobs, numbers from 0, one each `every`; at most 3,000.
  void start_jobs(const Address& address, const Signals& signals);

  /// The same with bare signals, see SignalPath.
  void start_signals(const Address& address, const Signals& signals);

  /// Begins to write as an application does, once each `every`, until end_writes() is called; at
  /// most 1,400 times.
  void start_writes(const Address& address, const Signals& signals);
  void end_writes();

  /// When the commit of each had returned; of a write, when it began and when it had ended, by
  /// turns, and the same moment twice when it was refused. Throws Interrupted, and Error for what
  /// went wrong there.
  [[nodiscard]] std::vector<Steady> finish(const stop_token& stop);

 private:
  pid_t process_ = -1;
  int line_ = -1;
};

}  // namespace holdfast::bench
