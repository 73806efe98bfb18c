#include "worker/contracts.hpp"

namespace holdfast::worker {

std::shared_ptr<const Contract> Contracts::now() const {
  const std::lock_guard lock(mutex_);
  return current_;
}

queue::House::Claims Contracts::read(store::Access access, Time now, const Handlers& handlers,
                                     Log& log) {
  auto fresh = std::make_shared<Contract>();
  queue::House house = queue::Policies::read_house(access, now);
  fresh->policies = std::move(house.policies);
  for (const std::string& kind : handlers.names()) {
    if (handlers.find(kind)->has_hooks() || !fresh->policies.has_hooks(kind)) {
      fresh->kinds.push_back(kind);
    } else if (hookless_.insert(kind).second) {
      log.warning("kind \"" + kind +
                  "\" has hooks in another program and none in this one: its jobs are left to it "
                  "(docs/lifecycle.md tells how to take hooks back)");
    }
  }
  const std::lock_guard lock(mutex_);
  current_ = std::move(fresh);
  return house.claims;
}

}  // namespace holdfast::worker
