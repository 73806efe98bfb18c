#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "holdfast/store.hpp"
#include "queue/claim.hpp"
#include "queue/settle.hpp"
#include "queue/store_state.hpp"
#include "support/fault_plan.hpp"

namespace holdfast::test {

class FreshPostgres;

/// Where a queue under test lives. The `_faulty` ones run behind a FaultyDatabase.
enum class Backend { memory, file, postgres, memory_faulty, file_faulty, postgres_faulty };
[[nodiscard]] std::string name_of(Backend backend);

/// A fresh queue with a connection of its own and a time that a test moves by hand: an hour ahead
/// of the clock at first, so that whatever the table stamped is due. One thread.
class QueueUnderTest {
 public:
  explicit QueueUnderTest(Backend backend);
  ~QueueUnderTest();

  [[nodiscard]] Store& store() { return *store_; }
  [[nodiscard]] db::Connection& connection() { return *connection_; }
  [[nodiscard]] const store::StatementSet& sql() const { return store_->state()->sql(); }
  [[nodiscard]] store::Access access() { return {*connection_, sql()}; }
  [[nodiscard]] FaultPlan& faults() { return *faults_; }

  [[nodiscard]] Time now() const { return now_; }
  void advance(Duration by) { now_ += by; }

  /// Hooks and policies of the process under test.
  void use(const Handlers& handlers);
  [[nodiscard]] const queue::Hooks& hooks() const { return hooks_; }

  [[nodiscard]] Enqueued enqueue(const std::string& kind, EnqueueOptions options = {},
                                 const std::string& payload = "{}");

  /// Claims as `worker` in a transaction of its own; kinds default to "k".
  struct Claiming {
    std::string worker = "w1";
    int limit = 1;
    std::string queue = "default";
    std::vector<std::string> kinds = {"k"};
    Duration lease = std::chrono::seconds(30);
  };
  [[nodiscard]] std::vector<JobRow> claim(const Claiming& claiming);
  [[nodiscard]] JobRow claim_one(const std::string& worker = "w1");

  /// Settles as the worker of the claim, in a transaction of its own.
  [[nodiscard]] queue::Settlement settle(const JobRow& job, queue::Happened happened,
                                         const std::string& worker = "w1");
  [[nodiscard]] queue::Settlement settle(const JobRow& job, queue::Event event);
  [[nodiscard]] bool renew(const JobRow& job, const std::string& worker, Duration lease);
  int sweep();

  [[nodiscard]] std::optional<JobRow> find(JobId id);
  [[nodiscard]] JobState state(JobId id);

  /// All rows of all tables that a job can be in, as text: for "nothing was changed".
  [[nodiscard]] std::string dump();

  /// The single number that a select of a test's own answers.
  [[nodiscard]] std::int64_t number(const std::string& query);

  /// Where another process finds the queue: the file, or libpq's connection string.
  [[nodiscard]] std::string address() const;

  /// A table's full name, for SQL of a test's own.
  [[nodiscard]] std::string table(const std::string& name) const;

 private:
  std::unique_ptr<FreshPostgres> postgres_;
  std::string directory_;
  std::shared_ptr<FaultPlan> faults_;
  std::optional<Store> store_;
  std::unique_ptr<db::Connection> connection_;
  Handlers handlers_;
  queue::Hooks hooks_;
  queue::Policies policies_;
  Time now_;
};

}  // namespace holdfast::test
