#pragma once

#include <memory>
#include <string>

#include "bench/application.hpp"
#include "bench/floor.hpp"
#include "holdfast/session.hpp"
#include "holdfast/store.hpp"

namespace holdfast::bench {

/// How another process reaches the ground.
struct Address {
  Dialect dialect = Dialect::sqlite;
  std::string target = {};  ///< file, or what libpq connects to
  std::string schema = "holdfast";
};
[[nodiscard]] Store open(const Address& address);

/// Where a benchmark happens: a place of its own on a user's database. It touches nothing that it
/// did not make, and leaves nothing behind. Throws Error.
class Ground {
 public:
  virtual ~Ground() = default;

  [[nodiscard]] virtual Dialect dialect() const = 0;

  /// An empty queue with its tables. What was here before goes; no store of it may be in use.
  [[nodiscard]] virtual Address fresh_queue() = 0;

  /// An empty place for the raw floor, likewise.
  [[nodiscard]] virtual Address fresh_floor() = 0;

  /// Statistics and visibility as in a queue that has been there for a while.
  virtual void settle_down(const Store& store) = 0;
};

[[nodiscard]] std::unique_ptr<Floor> floor_at(const Address& address, stop_token stop);
[[nodiscard]] std::unique_ptr<SignalPath> signal_path_at(const Address& address);
[[nodiscard]] std::unique_ptr<Application> application_at(const Address& address);
[[nodiscard]] std::vector<Steady> send_signals(const Address& address, const Signals& signals);

/// In a directory of its own in `directory`, so on the disk that is there.
[[nodiscard]] std::unique_ptr<Ground> sqlite_ground(const std::string& directory);

/// In a schema of its own whose name nothing has. Throws Error(misuse) in a build without libpq.
[[nodiscard]] std::unique_ptr<Ground> postgres_ground(const std::string& conninfo);

}  // namespace holdfast::bench
