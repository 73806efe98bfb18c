#include "crew.hpp"

#include <algorithm>
#include <csignal>
#include <stdexcept>

namespace checksums {

namespace {

constexpr std::chrono::seconds replacement_delay{1};

void require_clean(const std::string& name, const std::string& ending) {
  if (!ending.empty()) throw std::runtime_error(name + " " + ending);
}

/// Whether a job runs in that process: a worker is called host:process:random in the database.
bool is_busy(const Process& worker, const holdfast::Store& store) {
  std::string mark = ":";
  mark.append(std::to_string(worker.id())).append(":");
  const auto running = store.list({.state = holdfast::JobState::running});
  return std::any_of(running.begin(), running.end(), [&](const holdfast::JobRow& job) {
    return job.worker && job.worker->find(mark) != std::string::npos;
  });
}

}  // namespace

Crew::Crew(const Options& options, Progress& progress) : options_(options), progress_(progress) {
  Options enumerator = options_;
  enumerator.role = "enumerate";
  enumerator.name = "enumerator";
  enumerator_.emplace(enumerator);
  for (int i = 0; i < options_.workers; ++i) start_worker();
}

void Crew::start_worker() {
  Options worker = options_;
  worker.role = "work";
  worker.name = "worker-" + std::to_string(++workers_started_);
  workers_.emplace_back(worker);
}

void Crew::tend() {
  if (enumerator_) {
    if (const auto ending = enumerator_->poll()) {
      require_clean(enumerator_->name(), *ending);
      enumerator_.reset();
    }
  }
  for (Process& worker : workers_) {
    if (const auto ending = worker.poll()) {
      throw std::runtime_error(worker.name() + " ended by itself: " + *ending);
    }
  }
  if (replacement_due_ && std::chrono::steady_clock::now() >= *replacement_due_) {
    replacement_due_.reset();
    start_worker();
    progress_.say(workers_.back().name() + " started in its place");
  }
}

void Crew::try_to_kill_one(const holdfast::Store& store) {
  // It stands still while one looks, so what is seen is what the kill will hit.
  workers_.front().signal(SIGSTOP);
  if (!is_busy(workers_.front(), store)) {
    workers_.front().signal(SIGCONT);
    return;
  }
  killed_ = true;
  Process victim = std::move(workers_.front());
  workers_.erase(workers_.begin());
  victim.signal(SIGKILL);
  victim.wait();
  progress_.say(victim.name() + " killed with SIGKILL in the middle of a job");
  replacement_due_ = std::chrono::steady_clock::now() + replacement_delay;
}

void Crew::dismiss() {
  for (const Process& worker : workers_) worker.signal(SIGTERM);
  for (Process& worker : workers_) require_clean(worker.name(), worker.wait());
  workers_.clear();
}

}  // namespace checksums
