#include "simulation/model.hpp"

#include <algorithm>

namespace holdfast::test {

using Where = Model::Job::Where;

long backoff_seconds(int attempt) {
  const long n = attempt;
  return std::min(n * n * n * n, 86400L);
}

int Model::holder_of(int key) const {
  for (std::size_t i = 0; i < jobs_.size(); ++i) {
    const bool live = jobs_[i].where == Where::waiting || jobs_[i].where == Where::running;
    if (live && key != 0 && jobs_[i].key == key) return static_cast<int>(i);
  }
  return -1;
}

std::string Model::enqueue(int key, int priority, long delay, int max_attempts, int version,
                           bool replace) {
  const int holder = holder_of(key);
  if (holder < 0) {
    Job job;
    job.key = key;
    job.priority = priority;
    job.due = now_ + delay;
    job.max_attempts = max_attempts;
    job.version = version;
    jobs_.push_back(job);
    return "created " + std::to_string(jobs_.size() - 1);
  }
  if (!replace) return "kept " + std::to_string(holder);
  Job& job = jobs_[static_cast<std::size_t>(holder)];
  if (job.where == Where::running) {
    job.next_version = version;
  } else {
    if (job.fence > 0) ++job.revision;
    job.version = version;
    job.priority = priority;
    job.due = now_ + delay;
    job.max_attempts = max_attempts;
    job.attempt = 0;
    job.lost_in_a_row = job.fence > 0 ? 0 : job.lost_in_a_row;
  }
  return "replaced " + std::to_string(holder);
}

std::string Model::claim(int limit, long lease) {
  std::vector<int> ready;
  for (int i = 0; i < jobs(); ++i) {
    const Job& job = jobs_[static_cast<std::size_t>(i)];
    if (job.where == Where::waiting && job.due <= now_) ready.push_back(i);
  }
  std::stable_sort(ready.begin(), ready.end(), [&](int a, int b) {
    const Job& x = jobs_[static_cast<std::size_t>(a)];
    const Job& y = jobs_[static_cast<std::size_t>(b)];
    return std::tie(x.priority, x.due, a) < std::tie(y.priority, y.due, b);
  });
  if (static_cast<int>(ready.size()) > limit) ready.resize(static_cast<std::size_t>(limit));
  if (ready.empty()) return "nothing";
  const int claim = ++claims_made_;
  claims_[claim] = {now_ + lease, false};
  std::string text = "claimed";
  for (const int i : ready) {
    Job& job = jobs_[static_cast<std::size_t>(i)];
    job.where = Where::running;
    ++job.attempt;
    ++job.fence;
    job.claim = claim;
    leases_.push_back({i, job.fence, claim});
    text += " " + std::to_string(i) + "/v" + std::to_string(job.version) + "/a" +
            std::to_string(job.attempt);
  }
  return text;
}

/// A claim goes with its last job.
void Model::leave(Job& job) {
  const int claim = job.claim;
  job.claim = 0;
  const bool used = std::any_of(jobs_.begin(), jobs_.end(),
                                [&](const Job& other) { return other.claim == claim; });
  if (!used) claims_.erase(claim);
}

void Model::wait_again(Job& job, long delay) {
  job.where = Where::waiting;
  job.due = now_ + delay;
}

void Model::end_attempt(Job& job, End end, long delay, bool lost) {
  const int losses = lost ? job.lost_in_a_row + 1 : 0;
  job.lost_in_a_row = losses;
  if (end == End::done && !lost && !job.next_version) {
    job.where = Where::succeeded;
    return;
  }
  if (job.next_version) {
    job.version = *job.next_version;
    job.next_version.reset();
    ++job.revision;
    job.attempt = 0;
    job.cancel_requested = false;
    job.lost_in_a_row = 0;
    wait_again(job, 0);
    return;
  }
  if (job.cancel_requested || (end == End::cancel && !lost)) {
    job.where = Where::cancelled;  // the final row keeps the attempt that ended it
    return;
  }
  if (lost) {
    if (job.attempt >= job.max_attempts) {
      job.where = Where::quarantined;
    } else {
      wait_again(job, losses == 1 ? 0 : backoff_seconds(losses - 1));
    }
    return;
  }
  switch (end) {
    case End::snooze: --job.attempt; return wait_again(job, delay);
    case End::release:
      --job.attempt;
      job.where = Where::waiting;
      return;
    case End::never: job.where = Where::quarantined; return;
    default:
      if (job.attempt >= job.max_attempts) {
        job.where = Where::quarantined;
      } else {
        wait_again(job, end == End::fail ? delay : backoff_seconds(job.attempt));
      }
  }
}

std::string Model::settle(const Lease& lease, End end, long delay) {
  Job& job = jobs_[static_cast<std::size_t>(lease.job)];
  const bool open =
      job.where == Where::running && job.fence == lease.fence && job.claim == lease.claim;
  if (!open) return "not mine";
  end_attempt(job, end, delay, false);
  leave(job);
  return "settled";
}

std::string Model::renew(int claim, long lease) {
  const auto place = claims_.find(claim);
  if (place == claims_.end() || place->second.lost) return "lost";
  place->second.until = now_ + lease;
  return "renewed";
}

std::string Model::sweep() {
  int ended = 0;
  const auto claims = claims_;
  for (const auto& [id, claim] : claims) {
    if (claim.until >= now_) continue;
    for (Job& job : jobs_) {
      if (job.claim != id) continue;
      end_attempt(job, End::done, 0, true);
      job.claim = 0;
      ++ended;
    }
    claims_.erase(id);
  }
  return "swept " + std::to_string(ended);
}

std::string Model::cancel(int index) {
  Job& job = jobs_[static_cast<std::size_t>(index)];
  switch (job.where) {
    case Where::waiting: job.where = Where::cancelled; return "cancelled";
    case Where::running:
      job.cancel_requested = true;
      job.next_version.reset();
      return "requested";
    case Where::quarantined: return "quarantined";
    default: return "already_final";
  }
}

std::string Model::replay(int index) {
  Job& job = jobs_[static_cast<std::size_t>(index)];
  if (job.where == Where::waiting || job.where == Where::running) return "live";
  if (job.key != 0 && holder_of(job.key) >= 0) return "key_taken";
  if (job.where == Where::quarantined) {
    job.attempt = 0;
    job.lost_in_a_row = 0;
    job.cancel_requested = false;
    wait_again(job, 0);
    return "replayed";
  }
  Job again;
  again.key = job.key;
  again.priority = job.priority;
  again.max_attempts = job.max_attempts;
  again.version = job.version;
  again.due = now_;
  jobs_.push_back(again);
  return "new_job";
}

std::string Model::picture() const {
  static const char* names[] = {"waiting", "running", "succeeded", "cancelled", "quarantined"};
  std::string text;
  for (const Job& job : jobs_) {
    text += std::string(names[static_cast<int>(job.where)]) + " a" + std::to_string(job.attempt) +
            " f" + std::to_string(job.fence) + " r" + std::to_string(job.revision) + " v" +
            std::to_string(job.version);
    if (job.where == Where::waiting) text += " due" + std::to_string(job.due);
    text += "\n";
  }
  return text;
}

}  // namespace holdfast::test
