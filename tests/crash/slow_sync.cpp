#include "crash/slow_sync.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <thread>

namespace {

std::atomic<std::int64_t> slower_ms{0};
std::atomic<std::int64_t> slowed{0};

void take_longer() {
  const std::int64_t ms = slower_ms;
  if (ms == 0) return;
  ++slowed;
  std::this_thread::sleep_for(std::chrono::milliseconds(ms));
}

}  // namespace

// The program's own definitions go before those of the C library, for the libraries it uses as
// well.
extern "C" {
int fsync(int descriptor) {
  take_longer();
  return static_cast<int>(::syscall(SYS_fsync, descriptor));
}

int fdatasync(int descriptor) {
  take_longer();
  return static_cast<int>(::syscall(SYS_fdatasync, descriptor));
}
}

namespace holdfast::test {

void slow_syncs_down(std::chrono::milliseconds by) { slower_ms = by.count(); }

std::int64_t slow_syncs() { return slowed; }

}  // namespace holdfast::test
