#include <unistd.h>

#include <string>

#include "crash/agent.hpp"
#include "crash/append_log.hpp"
#include "crash/application.hpp"
#include "holdfast/error.hpp"

namespace holdfast::test {

namespace {

class Trader {
 public:
  explicit Trader(const AgentOptions& options)
      : options_(options),
        application_(open_application(options.database)),
        store_(open_store(options.database)),
        acknowledged_(options.directory + std::string(acknowledged_log)),
        restarts_(options.directory + std::string(restart_log)) {}

  /// Reads in a deferred transaction, then enqueues in it: what was read may be old by then, and
  /// the transaction has to begin again.
  void trade() {
    const std::string order = next_order();
    while (!try_to_trade(order)) restarts_.append(order);
  }

  /// Enqueues without a transaction of its own, through the library's connection.
  void enqueue_alone() {
    const std::string order = next_order();
    const Enqueued enqueued = store_.enqueue(job(order));
    application_->begin();
    insert(order, enqueued.id);
    application_->commit();
    acknowledge(order, enqueued);
  }

 private:
  [[nodiscard]] bool try_to_trade(const std::string& order) {
    application_->rows("begin");
    (void)application_->number("select count(*) from (select 1 from orders limit 100)");
    try {
      const Enqueued enqueued = application_->enqueue(job(order));
      insert(order, enqueued.id);
      application_->commit();
      acknowledge(order, enqueued);
      return true;
    } catch (const Error& error) {
      if (error.code() != Code::restart) throw;
      application_->rollback();
      return false;
    }
  }

  std::string next_order() { return options_.name + "-" + std::to_string(++orders_); }
  static NewJob job(const std::string& order) { return {"effect", order, {.max_attempts = 1000}}; }
  void insert(const std::string& order, JobId job) {
    application_->rows("insert into orders (name, job) values ('" + order + "', " +
                       std::to_string(job) + ")");
  }
  void acknowledge(const std::string& order, const Enqueued& enqueued) {
    acknowledged_.append(std::to_string(enqueued.id) + " " + order + " " +
                         std::string(to_string(enqueued.what)));
  }

  const AgentOptions& options_;
  std::unique_ptr<Application> application_;
  Store store_;
  AppendLog acknowledged_;
  AppendLog restarts_;
  std::int64_t orders_ = 0;
};

}  // namespace

void trade(const AgentOptions& options) {
  Trader trader(options);
  const std::string over = options.directory + std::string(over_file);
  while (::access(over.c_str(), F_OK) != 0) {
    trader.trade();
    trader.enqueue_alone();
  }
}

}  // namespace holdfast::test
