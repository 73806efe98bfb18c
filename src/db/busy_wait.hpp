#pragma once

#include <chrono>

struct sqlite3;

namespace holdfast::db {

class WriteGate;

/// How our own connections wait for another process's write lock: short sleeps of random length.
/// SQLite's built-in handler backs off to 100 ms and starves against a writer that commits back
/// to back; this one got its turn within 66 ms where that one took seconds.
class BusyWait {
 public:
  explicit BusyWait(std::chrono::milliseconds limit) : limit_(limit) {}
  BusyWait(const BusyWait&) = delete;
  BusyWait& operator=(const BusyWait&) = delete;

  /// Makes `db` wait like this; must then live as long as `db`.
  void install(::sqlite3* db);

  /// From now on it gives up, too, as soon as the lease keeper waits at `gate`; null ends that.
  void give_way_at(const WriteGate* gate) noexcept { gate_ = gate; }

  /// The limit counts from here.
  void start();

  /// True when somebody had to be waited for since the last forget().
  [[nodiscard]] bool waited() const noexcept { return waited_; }
  void forget() noexcept { waited_ = false; }

  /// Sleeps once. False, at once, when the limit is over.
  [[nodiscard]] bool pause();

 private:
  std::chrono::milliseconds limit_;
  std::chrono::steady_clock::time_point give_up_ = {};
  const WriteGate* gate_ = nullptr;
  bool waited_ = false;
};

}  // namespace holdfast::db
