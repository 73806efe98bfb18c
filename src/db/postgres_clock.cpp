#include "db/postgres_clock.hpp"

namespace holdfast::db {

namespace {

Duration since_zero(PostgresClock::Steady time) {
  return std::chrono::duration_cast<Duration>(time.time_since_epoch());
}

}  // namespace

void PostgresClock::read(Steady asked, Steady answered, Time server) {
  const Duration half = (since_zero(answered) - since_zero(asked)) / 2;
  current_ = {server.time_since_epoch() - (since_zero(asked) + half), half};
  if (!reported_once_) reported_ = current_;
  reported_once_ = true;
}

Time PostgresClock::now() const { return Time(since_zero(clock_->steady()) + current_.offset); }

Duration PostgresClock::jump() {
  const Duration change = current_.offset - reported_.offset;
  const Duration doubt = current_.doubt + reported_.doubt;
  reported_ = current_;
  return std::chrono::abs(change) <= doubt ? Duration::zero() : change;
}

}  // namespace holdfast::db
