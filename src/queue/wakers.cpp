#include "queue/wakers.hpp"

#include <utility>

namespace holdfast::queue {

Wakers::Entry Wakers::add(Wake wake) {
  auto entry = std::make_shared<const Wake>(std::move(wake));
  const std::lock_guard lock(mutex_);
  auto more = std::make_shared<std::list<Entry>>(*entries_);
  more->push_back(entry);
  entries_ = std::move(more);
  return entry;
}

void Wakers::remove(const Entry& entry) {
  const std::lock_guard lock(mutex_);
  auto fewer = std::make_shared<std::list<Entry>>(*entries_);
  fewer->remove(entry);
  entries_ = std::move(fewer);
}

void Wakers::wake() const {
  std::shared_ptr<const std::list<Entry>> entries;
  {
    const std::lock_guard lock(mutex_);
    entries = entries_;
  }
  for (const Entry& entry : *entries) (*entry)();
}

}  // namespace holdfast::queue
