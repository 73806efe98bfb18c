#include <chrono>
#include <random>
#include <string>
#include <thread>

#include "crash/agent.hpp"
#include "crash/append_log.hpp"
#include "crash/application.hpp"
#include "holdfast/error.hpp"

namespace holdfast::test {

namespace {

/// Losses count as attempts, and a storm loses many.
constexpr int attempts_max = 1000;

class Producer {
 public:
  explicit Producer(const AgentOptions& options)
      : options_(options),
        application_(open_application(options.database)),
        acknowledged_(options.directory + std::string(acknowledged_log)),
        rolled_back_(options.directory + std::string(rolled_back_log)),
        random_(options.seed) {}

  /// One order and its job, committed or rolled back.
  void place_order() {
    const std::string order = options_.name + "-" + std::to_string(++orders_);
    application_->begin();
    try {
      const Enqueued enqueued = application_->enqueue(some_job(order));
      application_->rows("insert into orders (name, job) values ('" + order + "', " +
                         std::to_string(enqueued.id) + ")");
      if (one_in(8)) {
        // Noted before: from here on nothing of it may ever be seen.
        rolled_back_.append(order);
        application_->rollback();
        return;
      }
      application_->commit();
      acknowledged_.append(std::to_string(enqueued.id) + " " + order + " " +
                           std::string(to_string(enqueued.what)));
    } catch (const Error& error) {
      application_->rollback();
      if (!error.retryable()) throw;
    }
  }

  [[nodiscard]] std::chrono::microseconds pause() {
    return std::chrono::microseconds(std::uniform_int_distribution<int>(0, 3000)(random_));
  }

 private:
  bool one_in(int n) { return std::uniform_int_distribution<int>(1, n)(random_) == 1; }

  NewJob some_job(const std::string& order) {
    static const char* const kinds[] = {"effect", "effect", "fail_once", "snooze_once", "plain"};
    const auto pick = std::uniform_int_distribution<std::size_t>(0, 4)(random_);
    NewJob job{kinds[pick], order, {.max_attempts = attempts_max}};
    if (one_in(6)) job.options.unique_key = "key-" + std::to_string(orders_ % 4);
    if (one_in(6)) job.options.delay = std::chrono::milliseconds(20);
    job.options.priority = static_cast<int>(orders_ % 10);
    return job;
  }

  const AgentOptions& options_;
  std::unique_ptr<Application> application_;
  AppendLog acknowledged_;
  AppendLog rolled_back_;
  std::mt19937_64 random_;
  std::int64_t orders_ = 0;
};

}  // namespace

void produce(const AgentOptions& options) {
  Producer producer(options);
  while (true) {
    producer.place_order();
    std::this_thread::sleep_for(producer.pause());
  }
}

}  // namespace holdfast::test
