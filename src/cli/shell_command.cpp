#include "cli/shell_command.hpp"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <stop_token>

#include "cli/descriptor.hpp"
#include "cli/process_group.hpp"

namespace holdfast::cli {

namespace {

using SteadyTime = std::chrono::steady_clock::time_point;
using std::chrono::milliseconds;

/// Feeds the payload as fast as the command reads it, and not at all if it does not.
class Feed {
 public:
  Feed(Descriptor end, std::string_view rest) : end_(std::move(end)), rest_(rest) {
    if (rest_.empty()) end_.close();
  }

  [[nodiscard]] int fd() const { return end_.fd(); }

  void write_some() {
    const auto written = ::write(end_.fd(), rest_.data(), rest_.size());
    if (written >= 0) rest_.remove_prefix(static_cast<std::size_t>(written));
    // A command that has closed its stdin (EPIPE) wants no more of it, which is its right.
    const bool later = written < 0 && (errno == EAGAIN || errno == EINTR);
    if (rest_.empty() || (written < 0 && !later)) end_.close();
  }

 private:
  Descriptor end_;
  std::string_view rest_;
};

/// Keeps the last bytes of what the command says on stderr.
class Tail {
 public:
  Tail(Descriptor end, std::size_t bytes_max) : end_(std::move(end)), bytes_max_(bytes_max) {}

  [[nodiscard]] int fd() const { return end_.fd(); }
  [[nodiscard]] bool closed() const { return !end_.open(); }

  /// False when there is nothing to read now.
  bool read_some() {
    std::array<char, 16384> buffer;
    const auto count = ::read(end_.fd(), buffer.data(), buffer.size());
    if (count < 0) return errno == EINTR;
    if (count == 0) {
      end_.close();
      return false;
    }
    kept_.append(buffer.data(), static_cast<std::size_t>(count));
    if (kept_.size() > bytes_max_) kept_.erase(0, kept_.size() - bytes_max_);
    return true;
  }

  /// What is in the pipe now. Bounded: something left in the background may go on writing.
  std::string take() {
    for (int i = 0; i < 64 && !closed() && read_some(); ++i) {
    }
    return std::move(kept_);
  }

 private:
  Descriptor end_;
  std::size_t bytes_max_;
  std::string kept_;
};

/// One command from start to end.
class Running {
 public:
  Running(ProcessGroup& group, Feed feed, Tail tail, const CommandLimits& limits)
      : group_(group), feed_(std::move(feed)), tail_(std::move(tail)), limits_(limits) {}

  CommandResult wait(const stop_token& stop, const Descriptor& stop_event) {
    while (true) {
      if (stop.stop_requested() && !result_.stopped) begin_stop();
      if (result_.stopped && std::chrono::steady_clock::now() >= kill_at_) kill();
      ended_ = ended_ || group_.ended();
      if (ended_ && (!result_.stopped || killed_ || tail_.closed())) return finish();
      wait_for_something(result_.stopped ? -1 : stop_event.fd());
    }
  }

 private:
  void begin_stop() {
    result_.stopped = true;
    kill_at_ = std::chrono::steady_clock::now() + limits_.kill_after;
    group_.signal(SIGTERM);
  }

  void kill() {
    if (!killed_) group_.signal(SIGKILL);
    killed_ = true;
  }

  CommandResult finish() {
    result_.stderr_tail = tail_.take();
    if (result_.stopped) kill();  // what the shell has started and left behind
    const int status = group_.reap();
    if (WIFSIGNALED(status)) {
      result_.signal = WTERMSIG(status);
    } else {
      result_.status = WEXITSTATUS(status);
    }
    return std::move(result_);
  }

  [[nodiscard]] int timeout_ms() const {
    // Without an event for the end of the shell it has to be looked at.
    milliseconds longest = group_.end_event().open() || ended_ ? milliseconds(-1) : milliseconds(5);
    if (result_.stopped && !killed_) {
      const auto left =
          std::chrono::ceil<milliseconds>(kill_at_ - std::chrono::steady_clock::now());
      const milliseconds until_kill = std::max(left, milliseconds(0));
      longest = longest < milliseconds(0) ? until_kill : std::min(longest, until_kill);
    }
    return static_cast<int>(longest.count());
  }

  void wait_for_something(int stop_fd) {
    const int end_fd = ended_ ? -1 : group_.end_event().fd();
    std::array<pollfd, 4> events{{{feed_.fd(), POLLOUT, 0},
                                  {tail_.fd(), POLLIN, 0},
                                  {end_fd, POLLIN, 0},
                                  {stop_fd, POLLIN, 0}}};
    if (::poll(events.data(), events.size(), timeout_ms()) <= 0) return;
    if (events[0].revents != 0) feed_.write_some();
    if (events[1].revents != 0) tail_.read_some();
  }

  ProcessGroup& group_;
  Feed feed_;
  Tail tail_;
  const CommandLimits& limits_;
  CommandResult result_ = {};
  SteadyTime kill_at_ = {};
  bool ended_ = false;
  bool killed_ = false;
};

}  // namespace

CommandResult run_command(const std::string& command, std::string_view payload,
                          const std::vector<std::string>& environment, const stop_token& stop,
                          const CommandLimits& limits) {
  Pipe input = make_pipe();
  Pipe errors = make_pipe();
  never_wait(input.write);
  never_wait(errors.read);
  const Descriptor stop_event = make_event();
  ProcessGroup group(command, environment, input.read, errors.write);
  input.read.close();
  errors.write.close();
  const std::stop_callback on_stop(stop, [&] { raise_event(stop_event); });
  Running running(group, Feed(std::move(input.write), payload),
                  Tail(std::move(errors.read), limits.stderr_bytes_max), limits);
  return running.wait(stop, stop_event);
}

}  // namespace holdfast::cli
