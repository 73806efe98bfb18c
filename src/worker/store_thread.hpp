#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "worker/backlog.hpp"
#include "worker/delivery.hpp"
#include "worker/intake.hpp"
#include "worker/link.hpp"
#include "worker/round_size.hpp"
#include "worker/settler.hpp"
#include "worker/wake_up.hpp"

namespace holdfast::worker {

/// The thread that settles and claims, both in one transaction: what has ended makes room for what
/// is claimed.
///
///  1. An answer stays in the backlog until a transaction that wrote it has committed.
///  2. A claim is delivered only after its commit.
///  3. A commit in doubt is looked into before anything else: answers are handed in again (a settle
///     recognises its own), claims are read and only what is ours is delivered.
///  4. An error of one row is dealt with alone; it never keeps others from being written.
class StoreThread {
 public:
  StoreThread(std::shared_ptr<Context> context, OpenClaims& claims, Crew& suspects,
              std::vector<Intake> intakes);

  /// Until finish().
  void run();

  /// Any thread: claims nothing more. A claim on its way is handed back by closed lanes.
  void stop_claiming();

  /// Any thread: ends as soon as everything is written, at `until` at the latest.
  void finish(Steady until);

 private:
  struct Doubt {
    std::vector<Backlog::Pending> answers;
    std::vector<Parcel> parcels;
  };
  struct Look {
    Intake* intake;
    int wanted;
    bool promised;  ///< a job was ready a moment ago
  };
  enum class Stage { settle, claim };

  [[nodiscard]] bool over() const;
  [[nodiscard]] Steady next_action() const;
  [[nodiscard]] bool wants_work(Steady now) const;
  void wait();
  void round();
  [[nodiscard]] bool write_and_claim(db::Connection& connection);
  [[nodiscard]] std::vector<Look> looks(Steady now);
  void keep_worthwhile(db::Connection& connection, std::vector<Look>& looks);
  void plan_next(const Look& look);
  void look_after_settles(Steady now);
  [[nodiscard]] bool may_claim() const;
  [[nodiscard]] int deferrable(int wanted) const;
  [[nodiscard]] std::vector<Parcel> claim(const queue::Settling& settling,
                                          const std::vector<Look>& looks, Steady began);
  void resolve(db::Connection& connection);
  void trouble(db::Connection& connection, const Error& error);
  void one_by_one(db::Connection& connection);
  void write_one(db::Connection& connection, const Backlog::Pending& pending);
  void take_back_stale(Steady now);
  void attend_suspect(Steady now);
  void drain_if_done(db::Connection& connection);
  void say_goodbye();

  const std::shared_ptr<Context> context_;
  OpenClaims& claims_;
  std::vector<Intake> intakes_;
  Backlog backlog_;
  Settler settler_;
  Delivery delivery_;
  Link link_;
  RoundSize size_;
  WakeUp wake_up_;  ///< after the link: it may use its connection
  std::optional<Doubt> doubt_;
  Stage stage_ = Stage::settle;
  Duration claim_pause_{};
  std::size_t first_ = 0;  ///< intake that claims first this time
  bool history_made_ = false;
  std::atomic<bool> claiming_ = true;
  mutable std::mutex mutex_;  // guards finish_by_
  std::optional<Steady> finish_by_;
};

}  // namespace holdfast::worker
