#include "worker/engine.hpp"

#include <set>

#include "holdfast/error.hpp"
#include "worker/attempt.hpp"
#include "worker/options.hpp"

namespace holdfast::worker {

namespace {

constexpr std::string_view all_queues = "*";

WorkerOptions checked(WorkerOptions options) {
  check_options(options);
  return options;
}

void join(std::jthread& thread) {
  if (!thread.joinable()) return;
  thread.request_stop();
  thread.join();
}

}  // namespace

Engine::Engine(Store store, Handlers handlers, WorkerOptions options)
    : context_(std::make_shared<Context>(std::move(store), std::move(handlers),
                                         checked(std::move(options)))),
      maintenance_(*context_),
      keeper_(*context_, claims_) {}

WorkerReport Engine::run(stop_token stop) {
  enter();
  struct Leave {
    Engine& engine;
    ~Leave() { engine.leave(); }
  } const leave{*this};
  const std::stop_callback forward(stop, [this] { context_->stopping.request_stop(); });
  work();
  context_->rethrow_failure();
  return context_->tally.report();
}

void Engine::enter() {
  const std::lock_guard lock(mutex_);
  if (phase_ != Phase::fresh) throw Error(Code::misuse, "a worker runs once: make another");
  phase_ = Phase::running;
}

void Engine::leave() {
  const std::lock_guard lock(mutex_);
  phase_ = Phase::over;
  phase_changed_.notify_all();
}

void Engine::end() {
  context_->stopping.request_stop();
  std::unique_lock lock(mutex_);
  phase_changed_.wait(lock, [&] { return phase_ != Phase::running; });
}

void Engine::work() {
  if (!maintenance_.prepare()) return;
  // What an enqueuing thread calls may outlive this worker by a moment.
  const auto waker =
      context_->store->wakers().add([context = context_] { context->inbox.knock(); });
  try {
    start();
    Alarm forever;
    static_cast<void>(forever.wait(context_->stopping.get_token()));
  } catch (...) {  // a thread could not be started
    context_->fail(std::current_exception());
  }
  stop();
  context_->store->wakers().remove(waker);
}

void Engine::start() {
  const auto suspects = std::make_shared<Crew>(context_, "suspects", 1);
  store_ = std::make_unique<StoreThread>(context_, claims_, *suspects, intakes());
  crews_.push_back(suspects);
  watchdog_ = std::make_unique<Watchdog>(*context_, claims_, crews_);
  stopper_thread_ = std::jthread(
      [context = context_](const std::stop_token& stop) { context->stopper.run(stop); });
  keeper_thread_ = std::jthread([this](const std::stop_token& stop) { keeper_.run(stop); });
  watchdog_thread_ = std::jthread([this](const std::stop_token& stop) { watchdog_->run(stop); });
  for (const auto& crew : crews_) crew->start();
  maintenance_thread_ =
      std::jthread([this](const std::stop_token& stop) { maintenance_.run(stop); });
  store_thread_ = std::jthread([this] { store_->run(); });
}

std::vector<Intake> Engine::intakes() {
  const WorkerOptions& options = context_->options;
  std::vector<Intake> intakes;
  if (!options.shared_queues.empty()) {
    std::vector<std::string> names;
    bool every = false;
    for (const std::string& queue : options.shared_queues) {
      if (queue == all_queues) every = true;
      if (queue != all_queues) names.push_back(queue);
    }
    intakes.emplace_back(*context_, add_crew("shared", options.shared_threads), names, every,
                         std::set<std::string>{});
    return intakes;
  }
  std::set<std::string> named;
  for (const auto& [queue, how] : options.queues) named.insert(queue);
  for (const auto& [queue, how] : options.queues) {
    const bool every = queue == all_queues;
    std::vector<std::string> names;
    if (!every) names.push_back(queue);
    intakes.emplace_back(*context_, add_crew(queue, how.threads), names, every,
                         every ? named : std::set<std::string>{});
  }
  return intakes;
}

std::shared_ptr<Crew> Engine::add_crew(const std::string& name, int threads) {
  crews_.push_back(std::make_shared<Crew>(context_, name, threads));
  return crews_.back();
}

void Engine::stop() {
  if (store_) store_->stop_claiming();
  for (const auto& crew : crews_) crew->close();
  context_->floor.close();
  end_handlers();
  join(watchdog_thread_);  // before the crews: it may let go of their threads
  for (const auto& crew : crews_) crew->join();
  join(maintenance_thread_);
  if (store_thread_.joinable()) store_->finish(steady_now() + context_->options.lease);
  join(store_thread_);
  join(keeper_thread_);
  end_stopper();
}

void Engine::end_handlers() {
  using Stop = detail::Attempt::Stop;
  Floor& floor = context_->floor;
  const WorkerOptions& options = context_->options;
  if (floor.wait_empty(steady_now() + options.grace, context_->hurrying.get_token())) return;
  for (const AttemptPtr& attempt : floor.attempts()) attempt->raise(Stop::shutdown);
  if (floor.wait_empty(steady_now() + options.stop_grace, {})) return;
  for (const AttemptPtr& attempt : floor.attempts()) {
    queue::Happened happened;
    happened.event = queue::Event::released;
    happened.reason = "its worker stopped, and its handler did not return when told to stop";
    abandon(*context_, crews_, *attempt, std::move(happened), false);
  }
}

/// A stop callback that never returns does not hold the process: its thread is let go.
void Engine::end_stopper() {
  if (!stopper_thread_.joinable()) return;
  if (!context_->stopper.wait_idle(steady_now() + context_->options.stop_grace)) {
    context_->log.error("what was hung on a stop token does not return and was given up on");
    stopper_thread_.request_stop();
    stopper_thread_.detach();
    return;
  }
  join(stopper_thread_);
}

}  // namespace holdfast::worker
