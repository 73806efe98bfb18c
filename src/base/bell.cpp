#include "base/bell.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

namespace holdfast::base {

namespace {

/// Longer waits are cut: the clock's end does not fit into what the system takes.
constexpr std::chrono::hours wait_max{1};

void set_flags(int descriptor) {
  ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  ::fcntl(descriptor, F_SETFL, O_NONBLOCK);
}

}  // namespace

Bell::Bell() {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  reading_ = ends[0];
  writing_ = ends[1];
  set_flags(reading_);
  set_flags(writing_);
}

Bell::~Bell() {
  ::close(reading_);
  ::close(writing_);
}

// A full pipe is rung already, so the answer does not matter.
void Bell::ring() noexcept {
  const char sound = 1;
  [[maybe_unused]] const auto written = ::write(writing_, &sound, 1);
}

void Bell::clear() noexcept {
  std::array<char, 64> sounds{};
  while (::read(reading_, sounds.data(), sounds.size()) > 0) continue;
}

void wait_readable(int first, int second, std::chrono::steady_clock::time_point until) {
  using std::chrono::nanoseconds;
  using std::chrono::seconds;
  const auto now = std::chrono::steady_clock::now();
  const nanoseconds left =
      until <= now ? nanoseconds{0} : std::min<nanoseconds>(until - now, wait_max);
  const auto whole = std::chrono::duration_cast<seconds>(left);
  const timespec timeout{whole.count(), (left - whole).count()};
  std::array<pollfd, 2> waiting{pollfd{first, POLLIN, 0}, pollfd{second, POLLIN, 0}};
  [[maybe_unused]] const int ready = ::ppoll(waiting.data(), waiting.size(), &timeout, nullptr);
}

}  // namespace holdfast::base
