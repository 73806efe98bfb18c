#include "holdfast/worker.hpp"

#include <utility>

#include "worker/engine.hpp"

namespace holdfast {

std::string_view to_string(LogLevel level) {
  switch (level) {
    case LogLevel::debug: return "debug";
    case LogLevel::info: return "info";
    case LogLevel::warning: return "warning";
    case LogLevel::error: return "error";
  }
  return "unknown";
}

Worker::Worker(Store store, Handlers handlers, WorkerOptions options)
    : engine_(std::make_shared<worker::Engine>(std::move(store), std::move(handlers),
                                               std::move(options))) {}

Worker::~Worker() { engine_->end(); }

WorkerReport Worker::run(stop_token stop) {
  const auto engine = engine_;  // the worker may be destroyed as soon as run() is over
  return engine->run(std::move(stop));
}

void Worker::hurry() { engine_->hurry(); }

void Worker::wake() { engine_->wake(); }

}  // namespace holdfast
