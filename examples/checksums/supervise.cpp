#include "supervise.hpp"

#include <atomic>
#include <csignal>
#include <cstdio>
#include <exception>
#include <thread>

#include "catalogue.hpp"
#include "crew.hpp"
#include "place.hpp"
#include "progress.hpp"
#include "report.hpp"
#include "scratch.hpp"

namespace checksums {

namespace {

constexpr std::chrono::milliseconds tick{200};
constexpr std::chrono::milliseconds short_tick{10};  ///< while the moment for the kill is sought
constexpr std::chrono::seconds patience{120};        ///< without any progress, before giving up

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free);

void on_interrupt(int) { interrupted = true; }

/// How far the run is, read from the database.
struct Counts {
  std::int64_t finished = 0;
  std::int64_t live = 0;

  bool operator==(const Counts&) const = default;
};

Counts count(const holdfast::Store& store) {
  Counts counts;
  for (const holdfast::QueueStats& queue : store.stats()) {
    counts.finished += queue.succeeded + queue.cancelled + queue.discarded + queue.quarantined;
    counts.live += queue.scheduled + queue.retrying + queue.ready + queue.running;
  }
  return counts;
}

std::string describe(const Counts& counts, bool enumerating) {
  return std::to_string(counts.finished) + " of " + std::to_string(counts.finished + counts.live) +
         " files hashed" + (enumerating ? ", still enumerating" : "");
}

/// Half of the files: of those enumerated, or of those wanted while the enumerator still runs.
bool half_way(const Counts& counts, bool enumerating, long files_wanted) {
  const std::int64_t total = enumerating ? files_wanted : counts.finished + counts.live;
  return counts.finished * 2 >= total;
}

/// Runs the crew until every job is final. False when that did not happen.
bool run_crew(const Options& options, const holdfast::Store& store) {
  using std::chrono::steady_clock;
  Progress progress;
  Crew crew(options, progress);
  Counts last;
  auto last_change = steady_clock::now();
  bool all_final = false;
  bool kill_is_due = false;
  while (!all_final && steady_clock::now() - last_change < patience) {
    std::this_thread::sleep_for(kill_is_due ? short_tick : tick);
    if (interrupted) break;
    // Asked before the count: nothing is enqueued after the enumerator was seen to have ended.
    crew.tend();
    const Counts counts = count(store);
    progress.show(describe(counts, crew.enumerating()));
    if (counts != last) last_change = steady_clock::now();
    last = counts;
    kill_is_due = !crew.killed_one() && half_way(counts, crew.enumerating(), options.files);
    if (kill_is_due) crew.try_to_kill_one(store);
    all_final = !crew.enumerating() && counts.live == 0 && crew.complete();
  }
  progress.finish();
  if (!crew.killed_one())
    progress.say("No worker was caught in the middle of a job, none was killed");
  crew.dismiss();
  return all_final;
}

/// Leaves a shared database as it was found, also when the run breaks off.
class DropAtTheEnd {
 public:
  DropAtTheEnd(Catalogue& catalogue, bool keep) : catalogue_(catalogue), keep_(keep) {}
  ~DropAtTheEnd() {
    try {
      if (!keep_) catalogue_.drop();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "checksums: the tables of this run are left behind: %s\n", error.what());
    }
  }
  DropAtTheEnd(const DropAtTheEnd&) = delete;
  DropAtTheEnd& operator=(const DropAtTheEnd&) = delete;

 private:
  Catalogue& catalogue_;
  bool keep_;
};

int account(const Options& options, Catalogue& catalogue, bool all_final,
            std::chrono::steady_clock::duration took) {
  const Report report =
      make_report(place_of(options), catalogue, std::chrono::duration<double>(took).count());
  print(report, options);
  return all_final && report.complete() ? 0 : 1;
}

}  // namespace

int supervise(Options options) {
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
  const Scratch scratch(options);
  const Place place = place_of(options);
  const auto catalogue = open_catalogue(place);
  const DropAtTheEnd drop(*catalogue, options.keep);
  catalogue->create_tables();
  const holdfast::Store store = place.open_store();
  store.migrate();
  std::printf("Hashing up to %ld files of %s on %s\n", options.files, options.directory.c_str(),
              place.on_sqlite() ? place.database.c_str() : "PostgreSQL");

  const auto began = std::chrono::steady_clock::now();
  const bool all_final = run_crew(options, store);
  const int code =
      account(options, *catalogue, all_final, std::chrono::steady_clock::now() - began);
  if (options.keep) {
    std::printf("Kept: %s, logs in %s\n", place.on_sqlite() ? "the database" : place.run.c_str(),
                place.logs.c_str());
  }
  return code;
}

}  // namespace checksums
