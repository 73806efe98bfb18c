#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "queue/claim.hpp"
#include "worker/contracts.hpp"
#include "worker/crew.hpp"
#include "worker/steady.hpp"

namespace holdfast::worker {

struct Context;

/// One claim, with what it was made from.
struct Catch {
  queue::Claim claim;
  Duration lease = {};
};

/// The queues that one crew serves: claims for it, by turns, and knows when to look again. Store
/// thread only.
class Intake {
 public:
  /// `every`: beside the named ones all queues that have live jobs, but none of `except`.
  Intake(Context& context, std::shared_ptr<Crew> crew, std::vector<std::string> queues, bool every,
         std::set<std::string> except);

  [[nodiscard]] Crew& crew() const noexcept { return *crew_; }

  /// Jobs that it should claim now: none unless it is time to look and the crew has room.
  [[nodiscard]] int wanted(Steady now) const;
  [[nodiscard]] Steady next_look() const noexcept { return next_look_; }

  /// When a look for work is worth while (see queue::next_due), or at once when it would take too
  /// long to tell; reads without a lock.
  [[nodiscard]] std::optional<Time> next_due(store::Access access, Time now,
                                             const Contract& contract);

  /// Whether it should claim without asking that first: it has been told, or there is more.
  [[nodiscard]] bool eager() const noexcept { return eager_; }

  /// Claims inside the transaction that the caller began, at most `limit` jobs.
  [[nodiscard]] std::vector<Catch> claim(store::Access access, Time now, const Contract& contract,
                                         int limit);

  /// What the last claim found. When it saw all that is ready, the next look has to be set.
  [[nodiscard]] bool found() const noexcept { return !idle_; }
  [[nodiscard]] bool saw_everything() const noexcept { return saw_everything_; }

  /// Look at once: there may be work, also behind where the last scan stopped.
  void wake();

  /// Look at once: there may be new work.
  void knock() noexcept;

  void look_at(Steady when) noexcept;

  /// Every queue that it serves, however many there are.
  [[nodiscard]] std::vector<std::string> all_queues(store::Access access) const;

 private:
  void discover(store::Access access);
  void reset_cursors();
  [[nodiscard]] static std::vector<std::string> next_page(store::Access access,
                                                          std::string_view after);
  [[nodiscard]] bool serves(const std::string& queue) const;
  queue::Claimer& claimer(const std::string& queue, const Contract& contract);

  Context& context_;
  const std::shared_ptr<Crew> crew_;
  const std::vector<std::string> named_;
  const bool every_;
  const std::set<std::string> except_;

  std::vector<std::string> queues_;
  std::vector<std::string> kinds_;  ///< that the claimers were made for
  std::map<std::string, queue::Claimer, std::less<>> claimers_;
  std::size_t turn_ = 0;  ///< whose turn it is among queues_
  Steady next_look_{};
  Steady discovered_{};
  Steady ask_again_{};      ///< no next_due before that: the last one took too long
  std::string page_after_;  ///< where the next page of discovered queues begins
  bool idle_ = true;        ///< the last look found nothing
  bool saw_everything_ = false;
  bool eager_ = false;
};

}  // namespace holdfast::worker
