#pragma once

#include <utility>

namespace holdfast::cli {

/// A file descriptor that is ours to close. -1: none, which poll() passes over.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) noexcept : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    other.close();
    return *this;
  }
  ~Descriptor() { close(); }

  void close() noexcept;
  [[nodiscard]] int fd() const noexcept { return fd_; }
  [[nodiscard]] bool open() const noexcept { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

/// Both ends are closed in programs that are started.
struct Pipe {
  Descriptor read;
  Descriptor write;
};

/// Throws Error(storage) when the process or the machine has no descriptors left.
[[nodiscard]] Pipe make_pipe();

/// Reads and writes of this end answer at once. Throws Error(storage).
void never_wait(const Descriptor& end);

/// An eventfd: readable once something was written to it. Throws Error(storage).
[[nodiscard]] Descriptor make_event();
void raise_event(const Descriptor& event) noexcept;

/// What errno says, as an Error(storage) that begins with `what`.
[[noreturn]] void throw_system_error(const char* what, int number);

}  // namespace holdfast::cli
