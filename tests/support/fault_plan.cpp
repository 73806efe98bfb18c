#include "support/fault_plan.hpp"

#include <utility>

namespace holdfast::test {

void FaultPlan::add(Fault fault) {
  const std::lock_guard lock(mutex_);
  faults_.push_back(std::move(fault));
}

void FaultPlan::lose_commit(int commit, bool happens) {
  add({.call = commit,
       .when = happens ? Fault::When::after : Fault::When::before,
       .code = Code::in_doubt,
       .only = "commit"});
}

void FaultPlan::go_away() {
  const std::lock_guard lock(mutex_);
  away_ = true;
}

void FaultPlan::heal() {
  const std::lock_guard lock(mutex_);
  away_ = false;
  faults_.clear();
}

int FaultPlan::calls() const {
  const std::lock_guard lock(mutex_);
  return calls_;
}

int FaultPlan::struck() const {
  const std::lock_guard lock(mutex_);
  return struck_;
}

bool FaultPlan::away() const {
  const std::lock_guard lock(mutex_);
  return away_;
}

std::optional<Fault> FaultPlan::next(std::string_view call, db::Lane lane) {
  const std::lock_guard lock(mutex_);
  ++calls_;
  std::optional<Fault> hit;
  if (away_) hit = Fault{.code = Code::disconnected};
  for (Fault& fault : faults_) {
    if (!fault.only.empty() && fault.only != call) continue;
    if (fault.lane && *fault.lane != lane) continue;
    --fault.call;
    if (!hit && (fault.call == 0 || (fault.call < 0 && fault.for_ever))) hit = fault;
  }
  if (hit) ++struck_;
  return hit;
}

}  // namespace holdfast::test
