#include "db/busy_wait.hpp"

#include <sqlite3.h>

#include <thread>

#include "base/random.hpp"
#include "db/write_gate.hpp"

namespace holdfast::db {

namespace {

constexpr double sleep_us_min = 500;
constexpr double sleep_us_max = 1'500;

/// SQLite is C: nothing may be thrown through it, and giving up is always a valid answer.
int on_busy(void* self, int tries) noexcept {
  auto& wait = *static_cast<BusyWait*>(self);
  if (tries == 0) wait.start();
  try {
    return wait.pause() ? 1 : 0;
  } catch (...) {
    return 0;
  }
}

}  // namespace

void BusyWait::install(::sqlite3* db) { sqlite3_busy_handler(db, on_busy, this); }

void BusyWait::start() {
  give_up_ = std::chrono::steady_clock::now() + limit_;
  waited_ = true;
}

bool BusyWait::pause() {
  if (std::chrono::steady_clock::now() >= give_up_) return false;
  if (gate_ != nullptr && gate_->keeper_waits()) return false;
  const double length_us = sleep_us_min + (sleep_us_max - sleep_us_min) * base::random_unit();
  std::this_thread::sleep_for(std::chrono::duration<double, std::micro>(length_us));
  return true;
}

}  // namespace holdfast::db
