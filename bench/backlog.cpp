// Does a claim cost more when many jobs wait? And does a worker then need more memory?
// JOBS: how many wait.

#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "answer.hpp"
#include "arena.hpp"
#include "bench/claim_loop.hpp"
#include "bench/questions.hpp"
#include "bench/served.hpp"

namespace holdfast::bench {
namespace {

constexpr std::int64_t few = 1000;
constexpr int pieces = 20;

/// Seconds for each of 20,000 jobs, by 500, while at most `few` wait or while all the others do.
double microseconds_each(const Store& store, bool fill) {
  ClaimLoop loop(store);
  double seconds = 0;
  for (int i = 0; i < pieces; ++i) {
    if (fill) enqueue_by_thousands(store, few, {});
    seconds += static_cast<double>(few) / loop.run(few, 500, {});
  }
  return seconds * 1e6 / static_cast<double>(few * pieces);
}

/// Megabytes that this process keeps in memory.
double resident_megabytes() {
  std::ifstream file("/proc/self/statm");
  double pages = 0;
  file >> pages >> pages;
  return pages * static_cast<double>(::sysconf(_SC_PAGESIZE)) / (1024 * 1024);
}

/// Of a worker in a process of its own, after two seconds in which it worked, then waited.
double worker_megabytes(const Address& address) {
  int line[2];
  if (::pipe(line) != 0) throw std::runtime_error("no pipe");
  const pid_t child = ::fork();
  if (child == 0) {
    double megabytes = 0;
    {
      const Served served(open(address), 1);
      std::this_thread::sleep_for(std::chrono::seconds(2));
      megabytes = resident_megabytes();
    }
    const bool told = ::write(line[1], &megabytes, sizeof megabytes) == sizeof megabytes;
    ::_exit(told ? 0 : 1);
  }
  double megabytes = 0;
  const bool told = ::read(line[0], &megabytes, sizeof megabytes) == sizeof megabytes;
  ::close(line[0]);
  ::close(line[1]);
  ::waitpid(child, nullptr, 0);
  if (!told) throw std::runtime_error("the worker told nothing");
  return megabytes;
}

void ask_on(Ground& ground, const std::string& name, const std::string& key, Answer& answer) {
  const Address address = ground.fresh_queue();
  const double empty = worker_megabytes(address);
  enqueue_by_thousands(open(address), few, {});
  const double drained = worker_megabytes(address);
  const double shallow = microseconds_each(open(address), true);
  {
    const Store store = open(address);
    enqueue_by_thousands(store, answer.jobs() + few * pieces, {});
    ground.settle_down(store);
  }
  const double deep = microseconds_each(open(address), false);
  const std::string waiting = std::to_string(answer.jobs()) + " waiting";
  answer.add({key + "_claim_settle_us",
              name + ", claim+settle of a job, " + waiting + " (against 1,000)", deep, "µs",
              shallow});
  answer.add({key + "_worker_rss_mib",
              name + ", memory of a worker, " + waiting + " (against 1,000)",
              worker_megabytes(address), "MiB", drained});
  answer.add({key + "_worker_rss_empty_mib",
              name + ", memory of a worker that never had a job",
              empty,
              "MiB",
              {}});
}

}  // namespace
}  // namespace holdfast::bench

int main(int count, char** arguments) {
  using namespace holdfast::bench;
  Answer answer(count, arguments, 1'000'000);
  return ask_both(answer, ask_on);
}
