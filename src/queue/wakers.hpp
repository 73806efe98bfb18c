#pragma once

#include <functional>
#include <list>
#include <memory>
#include <mutex>

namespace holdfast::queue {

/// Whom to tell in this process when a job was enqueued: its workers. Any thread.
class Wakers {
 public:
  using Wake = std::function<void()>;

  /// `wake` is called by enqueuing threads until `remove`, and may be for a moment after it. It
  /// must not block or throw.
  using Entry = std::shared_ptr<const Wake>;
  [[nodiscard]] Entry add(Wake wake);
  void remove(const Entry& entry);

  /// After the commit, with no lock held.
  void wake() const;

 private:
  mutable std::mutex mutex_;  // guards entries_
  std::shared_ptr<const std::list<Entry>> entries_ = std::make_shared<const std::list<Entry>>();
};

}  // namespace holdfast::queue
