#include "work.hpp"

#include <csignal>
#include <ctime>
#include <system_error>
#include <thread>

#include "append_log.hpp"
#include "hash.hpp"
#include "holdfast/holdfast.hpp"
#include "job.hpp"
#include "place.hpp"

namespace checksums {

namespace {

/// The handler: the result and the end of the job are one transaction.
class Hashing {
 public:
  Hashing(const Place& place, std::string worker, AppendLog& starts)
      : worker_(std::move(worker)),
        starts_(starts),
        insert_effect_("insert into " + place.table("effects") +
                       " (file_id, job, digest, worker, fence) "
                       "select id, job, $1, $2, $3 from " +
                       place.table("files") + " where job = $4") {}

  holdfast::Outcome operator()(const HashFile& job, holdfast::Run& run) const {
    starts_.append(std::to_string(run.job().id) + " " + std::to_string(run.fence()) + " " +
                   worker_);
    std::string digest;
    try {
      digest = hash_file(job.path);
    } catch (const std::system_error& error) {
      return holdfast::quarantine(error.what(), holdfast::FailureClass::data);
    }
    // When another worker took the job over meanwhile, the answer is lease_lost and the row was
    // rolled back. Either way there is nothing left to do here.
    static_cast<void>(run.done_in([&](holdfast::Session& session) {
      session.execute(insert_effect_, {digest, worker_, run.fence(), run.job().id});
    }));
    return holdfast::done();
  }

 private:
  std::string worker_;
  AppendLog& starts_;
  std::string insert_effect_;
};

holdfast::WorkerOptions worker_options(const Options& options) {
  return {.queues = {{"default", {.threads = options.threads}}},
          // Short, so that the killed worker's jobs come back while one watches.
          .lease = std::chrono::seconds(2),
          .connections_max = 3 + options.threads};
}

/// Turns the first SIGTERM or SIGINT into a stop and the second into haste. The signals must be
/// blocked in every thread.
void obey_signals(holdfast::stop_token ended, holdfast::stop_source& stop, holdfast::Worker& worker,
                  const sigset_t& signals) {
  constexpr timespec tick{.tv_sec = 0, .tv_nsec = 50'000'000};
  while (!ended.stop_requested()) {
    if (sigtimedwait(&signals, nullptr, &tick) < 0) continue;
    if (!stop.request_stop()) worker.hurry();
  }
}

}  // namespace

int work(const Options& options) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);

  const Place place = place_of(options);
  AppendLog starts(place.start_log());
  holdfast::Handlers handlers;
  handlers.on<HashFile>(Hashing(place, options.name, starts));
  holdfast::Worker worker(place.open_store(), handlers, worker_options(options));

  holdfast::stop_source stop;
  std::jthread signal_thread(
      [&](const holdfast::stop_token& ended) { obey_signals(ended, stop, worker, signals); });
  static_cast<void>(worker.run(stop.get_token()));
  return 0;
}

}  // namespace checksums
