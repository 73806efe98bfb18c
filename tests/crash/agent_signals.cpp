#include "crash/agent_signals.hpp"

#include <csignal>
#include <ctime>
#include <thread>

namespace holdfast::test {

namespace {

sigset_t stop_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  return signals;
}

void obey(const stop_token& ended, stop_source& stop, Worker& worker) {
  const sigset_t signals = stop_signals();
  constexpr timespec tick{.tv_sec = 0, .tv_nsec = 10'000'000};
  while (!ended.stop_requested()) {
    if (sigtimedwait(&signals, nullptr, &tick) < 0) continue;
    if (!stop.request_stop()) worker.hurry();
  }
}

}  // namespace

void block_stop_signals() {
  const sigset_t signals = stop_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

WorkerReport run_until_told(Worker& worker) {
  stop_source stop;
  std::jthread signals([&](const stop_token& ended) { obey(ended, stop, worker); });
  return worker.run(stop.get_token());
}

}  // namespace holdfast::test
