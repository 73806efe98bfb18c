// What does a worker cost that has nothing to do? JOBS: seconds that it is watched.

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "answer.hpp"
#include "arena.hpp"
#include "bench/postgres_raw.hpp"
#include "bench/served.hpp"

namespace holdfast::bench {
namespace {

/// A worker in a process of its own, until it is killed.
class IdleProcess {
 public:
  explicit IdleProcess(const Address& address) : child_(::fork()) {
    if (child_ != 0) return;
    try {
      const Served served(open(address), 1);
      while (true) ::pause();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "in the worker process: %s\n", error.what());
    }
    ::_exit(1);
  }
  ~IdleProcess() {
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
  }
  IdleProcess(const IdleProcess&) = delete;
  IdleProcess& operator=(const IdleProcess&) = delete;

  /// Seconds of a processor, to the microsecond: what the scheduler counted for its threads.
  [[nodiscard]] double cpu_seconds() const {
    clockid_t clock{};
    timespec used{};
    if (::clock_getcpuclockid(child_, &clock) != 0 || ::clock_gettime(clock, &used) != 0) {
      throw std::runtime_error("the worker process is gone");
    }
    return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) / 1e9;
  }

 private:
  pid_t child_;
};

/// Transactions of all sessions since the server started, this one's own included.
double transactions(PostgresRaw& raw) {
  raw.run("select pg_stat_clear_snapshot()");
  const auto rows = raw.run("select sum(xact_commit + xact_rollback) from pg_stat_database");
  return std::stod(PQgetvalue(rows.get(), 0, 0));
}

void ask_on(Ground& ground, Arena& arena, const std::string& name, const std::string& key,
            Answer& answer) {
  const IdleProcess worker(ground.fresh_queue());
  // The server counts a session's transactions when it has been quiet for a while.
  std::this_thread::sleep_for(std::chrono::seconds(3));
  PostgresRaw raw(arena.conninfo());
  const double before = transactions(raw);
  const double cpu_before = worker.cpu_seconds();
  const Steady begin = std::chrono::steady_clock::now();
  std::this_thread::sleep_for(std::chrono::seconds(answer.jobs()));
  const double seconds = milliseconds_between(begin, std::chrono::steady_clock::now()) / 1000;
  answer.add({key + "_idle_cpu_percent",
              name + ", an idle worker, of one processor",
              (worker.cpu_seconds() - cpu_before) / seconds * 100,
              "%",
              {}});
  if (ground.dialect() == Dialect::sqlite) return;
  answer.add({key + "_idle_transactions_per_s",
              name + ", an idle worker, transactions",
              std::max(0.0, transactions(raw) - before - 3) / seconds,
              "/s",
              {}});
}

}  // namespace
}  // namespace holdfast::bench

int main(int count, char** arguments) {
  using namespace holdfast::bench;
  Answer answer(count, arguments, 20);
  const int status = run_program([&] {
    Arena arena;
    arena.on_both(
        [&](auto& ground, auto& name, auto& key) { ask_on(ground, arena, name, key, answer); });
  });
  answer.print();
  return status;
}
