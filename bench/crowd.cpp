// Do eight worker processes on one database get in each other's way? JOBS: how many they share.

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <vector>

#include "answer.hpp"
#include "arena.hpp"
#include "bench/questions.hpp"
#include "bench/served.hpp"
#include "holdfast/worker.hpp"

namespace holdfast::bench {
namespace {

/// What a worker process tells of itself.
struct Part {
  std::int64_t done = 0;
  std::int64_t complaints = 0;  ///< lines of its log that are warnings or worse
};

Part work_until_drained(const Address& address) {
  std::atomic<std::int64_t> complaints = 0;
  Handlers handlers;
  handlers.on(std::string(job_kind), [](Run&) { return done(); });
  WorkerOptions options;
  options.drain = true;
  options.log = [&](LogLevel level, std::string_view) {
    if (level >= LogLevel::warning) ++complaints;
  };
  const WorkerReport report = Worker(open(address), handlers, options).run({});
  return {report.succeeded, complaints};
}

class Process {
 public:
  explicit Process(const Address& address) {
    if (::pipe(line_.data()) != 0) throw std::runtime_error("no pipe");
    child_ = ::fork();
    if (child_ != 0) return;
    Part part;
    try {
      part = work_until_drained(address);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "in a worker process: %s\n", error.what());
      ++part.complaints;
    }
    const bool told = ::write(line_[1], &part, sizeof part) == sizeof part;
    ::_exit(told ? 0 : 1);
  }

  Part wait() {
    Part part;
    const bool told = ::read(line_[0], &part, sizeof part) == sizeof part;
    for (const int end : line_) ::close(end);
    ::waitpid(child_, nullptr, 0);
    if (!told) throw std::runtime_error("a worker process told nothing");
    return part;
  }

 private:
  std::array<int, 2> line_{};
  pid_t child_ = -1;
};

void fill(Ground& ground, const Address& address, std::int64_t jobs) {
  const Store store = open(address);
  enqueue_by_thousands(store, jobs, {});
  ground.settle_down(store);
}

std::vector<Part> drain(const Address& address, int processes) {
  std::vector<Process> crowd;
  for (int i = 0; i < processes; ++i) crowd.emplace_back(address);
  std::vector<Part> parts;
  for (Process& process : crowd) parts.push_back(process.wait());
  return parts;
}

void ask_on(Ground& ground, const std::string& name, const std::string& key, Answer& answer) {
  constexpr int many = 8;
  std::array<double, 2> rates{};
  std::vector<Part> parts;
  for (const int processes : {1, many}) {
    const Address address = ground.fresh_queue();
    fill(ground, address, answer.jobs());
    const Steady begin = std::chrono::steady_clock::now();
    parts = drain(address, processes);
    rates.at(processes == 1 ? 0 : 1) = per_second(answer.jobs(), begin);
  }
  Part least = parts.front();
  Part most = parts.front();
  std::int64_t complaints = 0;
  for (const Part& part : parts) {
    if (part.done < least.done) least = part;
    if (part.done > most.done) most = part;
    complaints += part.complaints;
  }
  answer.add({key + "_8_workers_per_s", name + ", 8 worker processes (against one)", rates[1], "/s",
              rates[0]});
  answer.add({key + "_8_workers_least_jobs",
              name + ", 8 worker processes, jobs of the one that got least (against most)",
              static_cast<double>(least.done), "", static_cast<double>(most.done)});
  answer.add({key + "_8_workers_complaints",
              name + ", 8 worker processes, warnings and errors",
              static_cast<double>(complaints),
              "",
              {}});
}

}  // namespace
}  // namespace holdfast::bench

int main(int count, char** arguments) {
  using namespace holdfast::bench;
  Answer answer(count, arguments, 100'000);
  return ask_both(answer, ask_on);
}
