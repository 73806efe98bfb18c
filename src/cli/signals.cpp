#include "cli/signals.hpp"

#include <poll.h>
#include <pthread.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <utility>

namespace holdfast::cli {

Signals::Signals(std::function<void(int)> received) : end_(make_event()) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGHUP);  // the terminal is gone
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  signals_ = Descriptor(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!signals_.open()) throw_system_error("signals cannot be watched", errno);
  thread_ = std::thread([this, received = std::move(received)] { watch(received); });
}

Signals::~Signals() {
  raise_event(end_);
  thread_.join();
}

void Signals::watch(const std::function<void(int)>& received) const {
  int count = 0;
  while (true) {
    std::array<pollfd, 2> events{{{signals_.fd(), POLLIN, 0}, {end_.fd(), POLLIN, 0}}};
    if (::poll(events.data(), events.size(), -1) < 0) continue;
    if (events[1].revents != 0) return;
    signalfd_siginfo info{};
    if (::read(signals_.fd(), &info, sizeof info) == sizeof info) received(++count);
  }
}

}  // namespace holdfast::cli
