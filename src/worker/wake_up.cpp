#include "worker/wake_up.hpp"

#include <algorithm>
#include <string>
#include <system_error>

#include "base/random.hpp"
#include "holdfast/error.hpp"
#include "store/rows.hpp"
#include "worker/context.hpp"

namespace holdfast::worker {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using store::Access;
using store::Sql;

namespace {

/// The safety net below what is heard.
constexpr seconds safety{10};

/// News that comes closer together than this is a crowd.
constexpr milliseconds crowd{10};
constexpr milliseconds linger_least{10};
constexpr milliseconds linger_most{250};
constexpr milliseconds deaf_most{20};
constexpr seconds calm{1};

constexpr milliseconds pace{5};
constexpr milliseconds horizon_pause_max{250};
constexpr milliseconds held_pause_max{500};
constexpr milliseconds drain_pause_max{50};

constexpr seconds proof_within{2};
constexpr minutes open_again_after{1};
constexpr seconds open_again_soon{1};

/// Workers that fell asleep together do not look together.
Duration shortened(Duration pause) {
  return std::chrono::duration_cast<Duration>(pause * (0.75 + 0.25 * base::random_unit()));
}

Duration grown(Duration pause, Duration least, Duration most) {
  return std::clamp(pause * 3 / 2, std::min(least, most), most);
}

}  // namespace

WakeUp::WakeUp(Context& context)
    : context_(context), announcement_(context), linger_(linger_least) {}

WakeUp::~WakeUp() = default;

void WakeUp::attend(db::Connection& connection, int openings) {
  if (context_.options.drain) return;  // it looks all the time anyway
  const Steady now = steady_now();
  if (openings != openings_) {
    openings_ = openings;
    open_at_ = {};
    if (channel_) close("");
  }
  if (channel_) return prove(now);
  if (now < open_at_) return;
  open_at_ = now + open_again_after;
  try {
    open(connection);
  } catch (const Error& error) {
    if (connection.broken()) return;  // which is told and mended elsewhere
    context_.log.warning(std::string("new jobs are looked for now and then, because nothing is "
                                     "heard of them: ") +
                         error.what());
  }
}

void WakeUp::open(db::Connection& connection) {
  const store::StatementSet& sql = context_.store->sql();
  db::Database& database = context_.store->database();
  if (sql.dialect() == Dialect::sqlite) {
    channel_ = database.watch(connection, nullptr);
    proven_ = channel_ != nullptr;
    return;
  }
  const Access access{connection, sql};
  std::int64_t triggers = 0;
  const std::string table = store::with_namespace("{ns}jobs", sql.dialect(), sql.schema());
  access.run(Sql::has_wake_trigger, {table}, [&](const Row& row) { triggers = row.integer(0); });
  if (triggers == 0) return;
  auto channel = database.watch(connection, &sql[Sql::listen]);
  if (channel) {
    access.run(Sql::ring, {}, [](const Row&) {});
    channel_ = std::move(channel);
    proven_ = false;
    proven_by_ = steady_now() + proof_within;
    return;
  }
  if (!std::exchange(warned_, true)) {
    context_.log.warning(
        "a pooler is between this worker and PostgreSQL, so new jobs are looked for now and then: "
        "give a direct address to listen at (StoreOptions::listen, --listen-database)");
  }
}

/// An address that leads to another database would be silent for ever.
void WakeUp::prove(Steady now) {
  if (proven_ || now < proven_by_) return;
  close("the address to listen at hears nothing of this database");
}

void WakeUp::close(const char* why) {
  if (*why != '\0') {
    context_.log.warning(std::string("new jobs are looked for now and then: ") + why);
  }
  channel_.reset();
  announcement_.forget();
  proven_ = false;
  withdraw_ = false;
  ask_at_ = never;
  deaf_until_ = {};
  news_ = true;
  open_at_ = std::max(open_at_, steady_now() + open_again_soon);
}

bool WakeUp::is_gated() const { return context_.store->sql().dialect() == Dialect::postgres; }

bool WakeUp::hears() const {
  return channel_ && proven_ && (!is_gated() || announcement_.reliable());
}

void WakeUp::before_looks(db::Connection& connection, bool wants_work) {
  if (!is_gated() || !channel_ || !proven_) return;
  if (announcement_.made()) listen();  // a crowd costs its members, so it is noticed before a claim
  if (!channel_) return;
  const Steady now = steady_now();
  if (std::exchange(withdraw_, false)) announcement_.withdraw(connection);
  if (!wants_work) return;
  if (announcement_.lapsed(now)) {
    announcement_.forget();
    news_ = true;
  }
  if (!announcement_.made() && now < rest_from_) return;
  announcement_.advance(connection, now);
}

Steady WakeUp::next_action(bool wants_work) const {
  if (withdraw_) return {};
  return wants_work && announcement_.reliable() ? announcement_.renew_at() : never;
}

Steady WakeUp::after_found() {
  const Steady now = steady_now();
  fruitless_ = false;
  pause_ = {};
  held_pause_ = {};
  rest_from_ = now + linger_;
  return now + (channel_ ? Duration(pace) : context_.options.poll / 10);
}

Steady WakeUp::after_nothing(std::optional<Steady> due) {
  held_pause_ = {};
  const Steady next = steady_now() + pause_after_nothing();
  return due ? std::min(next, *due) : next;
}

Duration WakeUp::pause_after_nothing() {
  const Duration poll = context_.options.poll;
  if (hears()) {
    pause_ = {};
    return shortened(std::max<Duration>(safety, poll));
  }
  if (channel_ && !proven_) return pace;
  if (channel_ && !announcement_.made()) return pace;
  const Duration most = channel_                 ? Duration(horizon_pause_max)
                        : context_.options.drain ? std::min<Duration>(poll, drain_pause_max)
                                                 : poll;
  pause_ = grown(pause_, channel_ ? Duration(pace) : poll / 10, most);
  return shortened(pause_);
}

Steady WakeUp::after_held() {
  held_pause_ = grown(held_pause_, pace, held_pause_max);
  return steady_now() + shortened(held_pause_);
}

bool WakeUp::wait(Steady until, bool wants_work) {
  Inbox& inbox = context_.inbox;
  const bool knew = withdraw_;
  listen();
  // Also one that has no room hears how much it is told, and withdraws when that is too much.
  while (channel_ && (wants_work ? !news_ : announcement_.made() && !withdraw_)) {
    const bool deaf = steady_now() < deaf_until_;
    const Steady next = std::min(until, deaf ? deaf_until_ : ask_at_);
    try {
      if (inbox.wait_beside(deaf ? -1 : channel_->descriptor(), next, wants_work)) return true;
    } catch (const std::system_error& error) {
      close(error.what());
      break;
    }
    listen();
    if (steady_now() >= until) return false;
  }
  const bool at_once = (news_ && wants_work) || (withdraw_ && !knew);
  return inbox.wait(at_once ? Steady{} : until, wants_work);
}

void WakeUp::listen() {
  const Steady now = steady_now();
  if (!channel_ || now < deaf_until_) return;
  try {
    const db::Watch::Heard told = channel_->listen();
    ask_at_ = told.ask_again > Duration::zero() ? now + told.ask_again : never;
    if (told.news > 0) heard(told.news, now);
  } catch (const Error&) {
    close("");  // the connection is gone, and who uses it says so; else it is opened again soon
  }
}

void WakeUp::heard(int news, Steady now) {
  news_ = true;
  if (!std::exchange(proven_, true)) return;
  const Duration since = std::chrono::duration_cast<Duration>(now - std::exchange(news_at_, now));
  const bool in_vain = std::exchange(fruitless_, true);
  if (since > calm) linger_ = linger_least;
  const bool crowded = is_gated() ? news > 1 || since < crowd : in_vain && since < crowd;
  if (!crowded) return;
  if (is_gated()) {
    withdraw_ = true;
  } else {
    deaf_until_ = now + linger_;
  }
  rest_from_ = now + linger_;
  linger_ = std::min<Duration>(linger_ * 2, is_gated() ? linger_most : deaf_most);
}

bool WakeUp::take_news() { return std::exchange(news_, false); }

void WakeUp::leave(db::Connection& connection) {
  channel_.reset();
  if (is_gated()) announcement_.withdraw(connection);
}

}  // namespace holdfast::worker
