#include "worker/completions.hpp"

#include <thread>

#include "holdfast/error.hpp"
#include "queue/partitions.hpp"
#include "store/rows.hpp"
#include "worker/attempt.hpp"
#include "worker/context.hpp"

namespace holdfast::worker {

using queue::Lease;
using queue::Settlement;
using store::Access;
using store::Sql;

namespace {

using std::chrono::milliseconds;

/// How long a row that another transaction holds is waited for, and how long a database that went
/// away during a commit.
constexpr milliseconds held_wait{1'000};
constexpr milliseconds reconnect_wait{5'000};

/// True when this very lease ended in success: its effect stands.
bool completed_by(Access access, const Lease& lease) {
  bool completed = false;
  access.run(Sql::settled_by, {lease.id, lease.fence},
             [&](const Row& row) { completed = completed || row.text(0) == "succeeded"; });
  return completed;
}

/// One try of one completion.
class Completion {
 public:
  Completion(Context& context, db::Connection& connection, const detail::Attempt& attempt)
      : context_(context),
        connection_(connection),
        attempt_(attempt),
        access_{connection, context.store->sql()} {}

  [[nodiscard]] Settled run(const Completions::Effect& effect) {
    db::Transaction transaction(connection_);
    effect(connection_);
    const Settlement settlement = settle();
    if (settlement == Settlement::lease_lost) return Settled::lease_lost;
    if (settlement == Settlement::already_settled) {
      return completed_by(access_, attempt_.lease()) ? Settled::already_settled
                                                     : Settled::lease_lost;
    }
    switch (transaction.commit()) {
      case db::Committed::yes: return Settled::settled;
      case db::Committed::in_doubt: return resolve();
      case db::Committed::no: break;
    }
    throw Error(Code::busy, "the commit was refused: nothing was written, try again");
  }

 private:
  /// Settles inside the transaction, and waits a little for a row that somebody else holds.
  [[nodiscard]] Settlement settle() {
    const auto contract = context_.contracts.now();
    queue::Happened happened;
    happened.event = queue::Event::succeeded;
    const queue::Ending ending = attempt_.ending(std::move(happened));
    const Steady give_up = steady_now() + held_wait;
    for (;;) {
      const queue::Settling settling{access_, contract->policies, context_.hooks,
                                     context_.incarnation, connection_.now()};
      const Settlement settlement = queue::settle_one(settling, ending);
      if (settlement != Settlement::held) return settlement;
      if (steady_now() > give_up) {
        throw Error(Code::busy, "another transaction holds the job's row: nothing was written");
      }
      std::this_thread::sleep_for(milliseconds(5));
    }
  }

  /// Reads what a transaction left whose commit was not answered.
  [[nodiscard]] Settled resolve() {
    try {
      reconnect();
      const Lease lease = attempt_.lease();
      if (context_.holds_lease(connection_, lease)) {
        throw Error(Code::disconnected,
                    "the connection ended before the commit: nothing was written");
      }
      return completed_by(access_, lease) ? Settled::settled : Settled::lease_lost;
    } catch (const Error& error) {
      if (error.code() == Code::disconnected && !connection_.broken()) throw;
      throw Error(Code::in_doubt,
                  std::string("the connection ended during the commit, and the database cannot be "
                              "asked whether it happened: ") +
                      error.what());
    }
  }

  void reconnect() {
    const Steady give_up = steady_now() + reconnect_wait;
    for (auto pause = milliseconds(50); connection_.broken(); pause *= 2) {
      try {
        connection_.reconnect();
      } catch (const Error&) {
        if (steady_now() + pause > give_up) throw;
        std::this_thread::sleep_for(pause);
      }
    }
  }

  Context& context_;
  db::Connection& connection_;
  const detail::Attempt& attempt_;
  Access access_;
};

}  // namespace

Settled Completions::complete(Context& context, const detail::Attempt& attempt,
                              const Effect& effect) {
  if (connections_max_ < 1) {
    throw Error(Code::misuse,
                "done_in needs a connection of its own: connections_max is 4 or more");
  }
  const Lending::Loan loan = lending_.borrow(attempt.stop());
  try {
    return Completion(context, *loan, attempt).run(effect);
  } catch (const Error& error) {
    if (!queue::is_missing_partition(error)) throw;
  }
  // Everything was rolled back, so the effect may run again.
  queue::ensure_history(*loan, context.store->sql(), (*loan).now());
  return Completion(context, *loan, attempt).run(effect);
}

}  // namespace holdfast::worker
