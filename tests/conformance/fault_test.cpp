#include <functional>
#include <string>
#include <vector>

#include "conformance/queue_test.hpp"
#include "holdfast/error.hpp"
#include "queue/find.hpp"
#include "queue/sweep.hpp"
#include "store/migrate.hpp"

/// A storage error is never read as "nothing found", "empty" or "already done": every operation is
/// run with its first call failing, then its second, and so on until it passes untouched.
namespace holdfast::test {
namespace {

using queue::Event;
using std::chrono::hours;
using std::chrono::seconds;

const Operator ops{.actor = "ops", .reason = "because"};

/// An operation and how to make the queue ready for it.
struct Operation {
  std::string name;
  std::function<std::function<void()>(QueueUnderTest&)> prepare;
};

std::function<void()> settle_with(QueueUnderTest& q, Event event) {
  (void)q.enqueue("k", {.max_attempts = 1});
  const auto job = q.claim_one();
  return [&q, job, event] { (void)q.settle(job, event); };
}

std::vector<Operation> operations() {
  std::vector<Operation> all{
      {"enqueue", [](QueueUnderTest& q) { return [&] { (void)q.enqueue("k"); }; }},
      {"enqueue many",
       [](QueueUnderTest& q) {
         return [&] { (void)q.store().enqueue(std::vector<NewJob>(500, NewJob{"k", "{}", {}})); };
       }},
      {"enqueue kept",
       [](QueueUnderTest& q) {
         (void)q.enqueue("k", {.unique_key = "u"});
         return [&] { (void)q.enqueue("k", {.unique_key = "u"}); };
       }},
      {"enqueue replace",
       [](QueueUnderTest& q) {
         (void)q.enqueue("k", {.unique_key = "u"});
         return
             [&] { (void)q.enqueue("k", {.unique_key = "u", .on_conflict = OnConflict::replace}); };
       }},
      {"claim",
       [](QueueUnderTest& q) {
         (void)q.enqueue("k");
         (void)q.enqueue("k", {.group = "g"});
         return [&] { EXPECT_EQ(q.claim({.limit = 10}).size(), 2u); };
       }},
      {"renew",
       [](QueueUnderTest& q) {
         (void)q.enqueue("k");
         const auto job = q.claim_one();
         return [&q, job] { EXPECT_TRUE(q.renew(job, "w1", seconds(30))); };
       }},
      {"find",
       [](QueueUnderTest& q) {
         const auto id = q.enqueue("k").id;
         return [&q, id] { EXPECT_TRUE(q.find(id)); };
       }},
      {"find finished",
       [](QueueUnderTest& q) {
         const auto id = q.enqueue("k").id;
         (void)q.settle(q.claim_one(), Event::succeeded);
         return [&q, id] { EXPECT_TRUE(q.find(id)); };
       }},
      {"list",
       [](QueueUnderTest& q) {
         (void)q.enqueue("k");
         return [&] { EXPECT_EQ(queue::list(q.access(), {}, q.now()).size(), 1u); };
       }},
      {"stats",
       [](QueueUnderTest& q) {
         (void)q.enqueue("k");
         return [&] { EXPECT_EQ(queue::stats(q.access(), q.now()).size(), 1u); };
       }},
      {"idempotency key",
       [](QueueUnderTest& q) {
         return [&] { EXPECT_FALSE(queue::idempotency_key(q.access(), 1, 1).empty()); };
       }},
      {"policies",
       [](QueueUnderTest& q) { return [&] { (void)queue::Policies::read(q.access()); }; }},
      {"version",
       [](QueueUnderTest& q) {
         return [&] { EXPECT_GE(store::found_version(q.access()).version, 1); };
       }},
      {"cancel",
       [](QueueUnderTest& q) {
         const auto id = q.enqueue("k").id;
         return [&q, id] { EXPECT_EQ(q.store().cancel(id, ops), Cancelled::cancelled); };
       }},
      {"replay",
       [](QueueUnderTest& q) {
         const auto id = q.enqueue("k").id;
         (void)q.settle(q.claim_one(), Event::quarantine_decided);
         return [&q, id] { EXPECT_EQ(q.store().replay(id, ops).what, Replayed::What::replayed); };
       }},
      {"discard",
       [](QueueUnderTest& q) {
         const auto id = q.enqueue("k").id;
         (void)q.settle(q.claim_one(), Event::quarantine_decided);
         return [&q, id] { EXPECT_TRUE(q.store().discard(id, ops)); };
       }},
      {"restored", [](QueueUnderTest& q) { return [&] { (void)q.store().restored(ops); }; }},
  };
  for (const Event event : {Event::succeeded, Event::failed, Event::snoozed, Event::cancel_decided,
                            Event::quarantine_decided, Event::released, Event::undecodable}) {
    all.push_back({"settle " + std::string(queue::to_string(event)),
                   [event](QueueUnderTest& q) { return settle_with(q, event); }});
  }
  return all;
}

class StorageError : public QueueTest {};
INSTANTIATE_TEST_SUITE_P(Everywhere, StorageError,
                         ::testing::Values(Backend::memory_faulty, Backend::postgres_faulty),
                         backend_name);

TEST_P(StorageError, at_any_call_is_passed_on_and_leaves_nothing_behind) {
  constexpr int calls_max = 60;
  for (const Operation& operation : operations()) {
    const auto run = operation.prepare(q);
    const auto before = q.dump();
    int failed = 0;
    bool passed = false;
    for (int call = 1; call <= calls_max && !passed; ++call) {
      const int struck = q.faults().struck();
      q.faults().add({.call = call, .code = Code::storage});
      try {
        run();
        passed = true;
      } catch (const Error&) {
        ++failed;
      }
      q.faults().heal();
      const bool hit = q.faults().struck() > struck;
      EXPECT_EQ(hit, !passed) << operation.name << ": call " << call
                              << " failed, and the operation answered as if nothing had happened";
      if (hit) {
        EXPECT_EQ(q.dump(), before) << operation.name << ", call " << call;
      }
      if (hit && passed) break;
    }
    EXPECT_TRUE(passed) << operation.name;
    EXPECT_GE(failed, 1) << operation.name;
    q.connection().rollback();
    for (const char* name : {"jobs", "claims", "quarantine", "history", "attempts", "receipts"}) {
      q.connection().execute("delete from " + q.table(name));
    }
  }
}

TEST_P(StorageError, in_a_sweep_costs_a_round_at_most_and_loses_no_job) {
  for (int call = 1; call <= 20; ++call) {
    const auto id = q.enqueue("k").id;
    (void)q.claim_one();
    q.advance(hours(1));
    q.faults().add({.call = call, .code = Code::storage});
    try {
      (void)q.sweep();
    } catch (const Error&) {
    }
    q.faults().heal();
    q.connection().rollback();
    (void)q.sweep();
    EXPECT_EQ(q.state(id), JobState::ready) << "call " << call;
    EXPECT_EQ(q.number("select count(*) from " + q.table("claims")), 0) << "call " << call;
    const auto job = q.claim_one();
    EXPECT_EQ(job.attempt, 2) << "call " << call;
    EXPECT_EQ(q.settle(job, Event::succeeded), queue::Settlement::settled);
  }
}

TEST_P(StorageError, of_one_job_keeps_no_other_from_being_recovered) {
  for (int i = 0; i < 5; ++i) (void)q.enqueue("k");
  (void)q.claim({.limit = 5});
  q.advance(hours(1));
  // The third attempts row can never be written, whoever tries.
  q.faults().add({.call = 3, .code = Code::constraint, .only = "insert_attempt"});
  EXPECT_EQ(q.sweep(), 5) << "the second try, job by job, is not hit";
}

}  // namespace
}  // namespace holdfast::test
