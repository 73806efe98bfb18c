#include "worker/announcement.hpp"

#include "store/rows.hpp"
#include "worker/context.hpp"

namespace holdfast::worker {

using std::chrono::seconds;
using store::Access;
using store::Sql;

namespace {

/// How long enqueuers go on telling a worker that died in its sleep.
constexpr seconds valid_for{60};
constexpr seconds renewed_after{25};
constexpr seconds lapses_after{50};

}  // namespace

void Announcement::advance(db::Connection& connection, Steady now) {
  if (lapsed(now)) forget();
  if (!made()) {
    make(connection, now);
  } else if (now >= renew_at()) {
    const bool was_reliable = reliable();
    make(connection, now);
    reached_ = was_reliable;  // it has never ended
  }
  if (!reached_) check_horizon(connection);
}

void Announcement::make(db::Connection& connection, Steady now) {
  forget();
  Access{connection, context_.store->sql()}.run(
      Sql::sleep, {context_.incarnation, std::int64_t{Duration(valid_for).count()}},
      [](const Row&) {});
  made_at_ = now;
}

void Announcement::check_horizon(db::Connection& connection) {
  const Access access{connection, context_.store->sql()};
  if (!horizon_) {
    access.run(Sql::sleep_horizon, {}, [&](const Row& row) { horizon_ = row.integer(0); });
  }
  access.run(Sql::oldest_running, {},
             [&](const Row& row) { reached_ = row.integer(0) >= *horizon_; });
}

void Announcement::withdraw(db::Connection& connection) {
  if (!made()) return;
  forget();
  Access{connection, context_.store->sql()}.run(Sql::sleep, {context_.incarnation, std::int64_t{0}},
                                                [](const Row&) {});
}

void Announcement::forget() noexcept {
  made_at_.reset();
  horizon_.reset();
  reached_ = false;
}

Steady Announcement::renew_at() const noexcept {
  return made_at_ ? *made_at_ + renewed_after : never;
}

bool Announcement::lapsed(Steady now) const noexcept {
  return made_at_ && now >= *made_at_ + lapses_after;
}

}  // namespace holdfast::worker
