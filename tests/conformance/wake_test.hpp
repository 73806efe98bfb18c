#pragma once

#include <atomic>
#include <string>

#include "conformance/worker_test.hpp"

namespace holdfast::test {

/// Options of a worker that would look for work far too late for a test: what starts a job in time
/// is that it was told.
[[nodiscard]] inline WorkerOptions sleepy() {
  WorkerOptions options = quick();
  options.poll = std::chrono::minutes(10);
  return options;
}

/// Workers that sleep until they are told of a job.
class WakeTest : public WorkerTest {
 protected:
  /// Handlers of kind "k", which count.
  [[nodiscard]] Handlers counting() {
    Handlers handlers;
    handlers.on("k", [this](Run&) {
      ++started_;
      return done();
    });
    return handlers;
  }

  [[nodiscard]] bool started(int jobs) {
    return eventually([&] { return started_ >= jobs; });
  }

  [[nodiscard]] bool on_postgres() { return q.connection().dialect() == Dialect::postgres; }

  /// Until so many workers have said that they sleep; SQLite's need not say so.
  [[nodiscard]] bool asleep(int workers = 1) {
    if (!on_postgres()) return true;
    const std::string query =
        "select count(*) from " + q.table("sleepers") + " where until > " + q.table("now_us()");
    return eventually([&] { return q.number(query) == workers; });
  }

  /// On the test's own connection, as an application would.
  void plain_insert(const std::string& columns = "kind", const std::string& values = "'k'") {
    q.connection().execute("insert into " + q.table("jobs") + " (" + columns + ") values (" +
                           values + ")");
  }

  std::atomic<int> started_ = 0;
};

}  // namespace holdfast::test
