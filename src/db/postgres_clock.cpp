#include "db/postgres_clock.hpp"

namespace holdfast::db {

namespace {

constexpr std::chrono::seconds fresh{1};
constexpr std::chrono::milliseconds exact_enough{1};

Duration since_zero(PostgresClock::Steady time) {
  return std::chrono::duration_cast<Duration>(time.time_since_epoch());
}

}  // namespace

void PostgresClock::read(Steady asked, Steady answered, Time server) {
  const Duration half = (since_zero(answered) - since_zero(asked)) / 2;
  read_at_ = answered;
  current_ = {server.time_since_epoch() - (since_zero(asked) + half), half};
  if (!reported_once_) reported_ = current_;
  reported_once_ = true;
}

Time PostgresClock::now() const { return Time(since_zero(clock_->steady()) + current_.offset); }

bool PostgresClock::doubtful() const { return current_.doubt > exact_enough; }

bool PostgresClock::stale() const { return clock_->steady() - read_at_ > fresh; }

Duration PostgresClock::jump() {
  const Duration change = current_.offset - reported_.offset;
  const Duration doubt = current_.doubt + reported_.doubt;
  reported_ = current_;
  return std::chrono::abs(change) <= doubt ? Duration::zero() : change;
}

}  // namespace holdfast::db
