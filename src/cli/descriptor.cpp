#include "cli/descriptor.hpp"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <string>
#include <system_error>

#include "holdfast/error.hpp"

namespace holdfast::cli {

void throw_system_error(const char* what, int number) {
  throw Error(Code::storage, std::string(what) + ": " + std::generic_category().message(number));
}

void Descriptor::close() noexcept {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw_system_error("no pipe to the command", errno);
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

void never_wait(const Descriptor& end) {
  const int flags = ::fcntl(end.fd(), F_GETFL);
  if (flags < 0 || ::fcntl(end.fd(), F_SETFL, flags | O_NONBLOCK) != 0) {
    throw_system_error("a pipe that does not wait", errno);
  }
}

Descriptor make_event() {
  Descriptor event(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!event.open()) throw_system_error("no event descriptor", errno);
  return event;
}

void raise_event(const Descriptor& event) noexcept {
  const std::uint64_t one = 1;
  // It can only fail because it was raised before, and then it is raised.
  [[maybe_unused]] const auto written = ::write(event.fd(), &one, sizeof one);
}

}  // namespace holdfast::cli
