#pragma once

#include <map>
#include <memory>
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

  /// Claims inside the transaction that the caller began, at most `limit` jobs.
  [[nodiscard]] std::vector<Catch> claim(store::Access access, Time now, const Contract& contract,
                                         int limit);

  /// Look at once: there may be work, also behind where the last scan stopped.
  void wake();

  /// The transaction of the last claim failed: look again at that time.
  void look_at(Steady when) noexcept { next_look_ = when; }

  /// Every queue that it serves, however many there are.
  [[nodiscard]] std::vector<std::string> all_queues(store::Access access) const;

 private:
  void discover(store::Access access);
  [[nodiscard]] static std::vector<std::string> next_page(store::Access access,
                                                          std::string_view after);
  [[nodiscard]] bool serves(const std::string& queue) const;
  queue::Claimer& claimer(const std::string& queue, const Contract& contract);
  void plan_next_look(bool saw_everything);

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
  std::string page_after_;  ///< where the next page of discovered queues begins
  bool idle_ = true;        ///< the last look found nothing
};

}  // namespace holdfast::worker
