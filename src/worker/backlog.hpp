#pragma once

#include <vector>

#include "worker/inbox.hpp"
#include "worker/steady.hpp"

namespace holdfast::worker {

/// Answers that are not in the database yet, each with the time from which it may be tried. None is
/// ever dropped. Store thread only.
class Backlog {
 public:
  struct Pending {
    Answer answer;
    Steady not_before = {};
    Duration pause = {};
  };

  void add(std::vector<Answer> answers);

  /// At most `limit` answers that may be tried now, oldest first.
  [[nodiscard]] std::vector<Pending> take(Steady now, std::size_t limit);

  /// Back in front: nothing is wrong with it.
  void put_back(std::vector<Pending> pending);

  /// Somebody holds its row for a moment.
  void hold(Pending pending);

  /// It could not be written: again after a pause that grows from 1 s to a minute.
  void postpone(Pending pending);

  [[nodiscard]] Steady next() const;
  [[nodiscard]] std::size_t size() const noexcept { return pending_.size(); }
  [[nodiscard]] bool empty() const noexcept { return pending_.empty(); }

 private:
  std::vector<Pending> pending_;
};

}  // namespace holdfast::worker
