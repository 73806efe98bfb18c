#include <string>

#include "conformance/queue_test.hpp"
#include "holdfast/error.hpp"
#include "queue/enqueue.hpp"
#include "support/thrown.hpp"

namespace holdfast::test {
namespace {

using queue::Event;
using queue::Settlement;
using std::chrono::hours;
using std::chrono::seconds;

class HooksOf : public QueueTest {};
INSTANTIATE_TEST_SUITE_P(Everywhere, HooksOf, every_backend, backend_name);

const Operator ops{.actor = "ops", .reason = "because"};

TEST_P(HooksOf, run_in_the_transaction_that_makes_the_job_final) {
  q.connection().execute("create table effects (what text)");
  Handlers handlers;
  handlers.on("k", [](holdfast::Run&) { return done(); })
      .on_success(
          [](Session& tx, const JobRow&) { tx.execute("insert into effects values ('success')"); })
      .on_quarantine([](Session& tx, const JobRow&) {
        tx.execute("insert into effects values ('quarantine')");
      });
  q.use(handlers);
  const auto good = q.enqueue("k").id;
  EXPECT_EQ(q.settle(q.claim_one(), Event::succeeded), Settlement::settled);
  EXPECT_EQ(q.state(good), JobState::succeeded);
  const auto bad = q.enqueue("k", {.max_attempts = 1}).id;
  (void)q.claim_one();
  q.advance(seconds(31));
  EXPECT_EQ(q.sweep(), 1) << "recovery of a dead worker runs them too";
  EXPECT_EQ(q.state(bad), JobState::quarantined);
  EXPECT_EQ(q.number("select count(*) from effects"), 2);
}

TEST_P(HooksOf, one_that_throws_leaves_the_job_non_final_and_is_tried_again) {
  q.connection().execute("create table effects (what text)");
  bool broken = true;
  Handlers handlers;
  handlers.on("k", [](holdfast::Run&) { return done(); })
      .on_quarantine([&](Session& tx, const JobRow&) {
        tx.execute("insert into effects values ('quarantine')");
        if (broken) throw std::runtime_error("refund service is down");
      });
  q.use(handlers);
  const auto id = q.enqueue("k", {.max_attempts = 1}).id;
  EXPECT_EQ(q.settle(q.claim_one(), Event::failed), Settlement::settled);
  EXPECT_EQ(q.state(id), JobState::retrying);
  EXPECT_NE(q.find(id)->last_error->find("refund service is down"), std::string::npos);
  EXPECT_EQ(q.number("select count(*) from effects"), 0);
  broken = false;
  q.advance(hours(1));
  EXPECT_EQ(q.settle(q.claim_one(), Event::picked), Settlement::settled);
  EXPECT_EQ(q.state(id), JobState::quarantined);
  EXPECT_EQ(q.number("select count(*) from effects"), 1);
}

TEST_P(HooksOf, a_process_without_them_leaves_the_end_to_one_that_has_them) {
  Handlers with_hooks;
  int hooked = 0;
  with_hooks.on("k", [](holdfast::Run&) { return done(); })
      .on_cancel([&](Session&, const JobRow&) { ++hooked; })
      .on_quarantine([&](Session&, const JobRow&) { ++hooked; });
  q.use(with_hooks);
  Handlers none;
  q.use(none);  // the table remembers that somebody has hooks for k
  const auto cancelled = q.enqueue("k").id;
  EXPECT_EQ(q.store().cancel(cancelled, ops), Cancelled::requested);
  const auto lost = q.enqueue("k", {.max_attempts = 1}).id;
  for (int i = 0; i < 2; ++i) (void)q.claim_one();
  q.advance(seconds(31));
  EXPECT_EQ(q.sweep(), 2);
  EXPECT_EQ(hooked, 0);
  q.use(with_hooks);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(q.settle(q.claim_one(), Event::picked), Settlement::settled);
  }
  EXPECT_EQ(hooked, 2);
  EXPECT_EQ(q.state(cancelled), JobState::cancelled);
  EXPECT_EQ(q.state(lost), JobState::quarantined);
  EXPECT_EQ(q.find(lost)->last_failure, FailureClass::lost);
  EXPECT_NE(q.find(lost)->last_error->find("worker died"), std::string::npos);
}

TEST_P(HooksOf,
       a_process_without_them_leaves_the_cancel_that_a_handler_decided_to_one_that_has_them) {
  Handlers with_hooks;
  int hooked = 0;
  with_hooks.on("k", [](holdfast::Run&) { return done(); }).on_cancel([&](Session&, const JobRow&) {
    ++hooked;
  });
  q.use(with_hooks);
  Handlers none;
  q.use(none);
  const auto id = q.enqueue("k").id;
  EXPECT_EQ(q.settle(q.claim_one(), Event::cancel_decided), Settlement::settled);
  EXPECT_EQ(hooked, 0);
  q.use(with_hooks);
  EXPECT_EQ(q.settle(q.claim_one(), Event::picked), Settlement::settled);
  EXPECT_EQ(q.state(id), JobState::cancelled);
  EXPECT_EQ(hooked, 1);
}

TEST_P(HooksOf, one_that_gives_its_own_job_a_newer_intent_lets_it_run_again) {
  int hooked = 0;
  const auto again = [&](Session& tx, const JobRow& job) {
    ++hooked;
    const NewJob newer{"k", "new", {.unique_key = "u", .on_conflict = OnConflict::replace}};
    const auto answer = queue::enqueue({tx, q.sql()}, newer, q.now());
    EXPECT_EQ(answer.id, job.id);
    EXPECT_EQ(answer.what, Enqueued::What::replaced);
  };
  Handlers handlers;
  handlers.on("k", [](holdfast::Run&) { return done(); })
      .on_success(again)
      .on_cancel(again)
      .on_quarantine(again);
  q.use(handlers);
  const auto id = q.enqueue("k", {.unique_key = "u"}, "old").id;
  int revision = 1;
  for (const Event end : {Event::succeeded, Event::cancel_decided, Event::quarantine_decided}) {
    const auto job = q.claim_one();
    EXPECT_EQ(job.revision, revision++);
    EXPECT_EQ(q.settle(job, end), Settlement::settled);
    EXPECT_EQ(hooked, revision - 1);
    EXPECT_EQ(q.find(id)->payload, "new");
    EXPECT_EQ(q.state(id), JobState::ready);
  }
  EXPECT_EQ(q.number("select count(*) from " + q.table("history")), 1);
  EXPECT_EQ(q.number("select count(*) from " + q.table("attempts")), 2);
}

TEST_P(HooksOf, one_that_takes_its_jobs_lease_away_undoes_nothing_but_itself) {
  Handlers handlers;
  handlers.on("k", [](holdfast::Run&) { return done(); })
      .on_success(
          [&](Session& tx, const JobRow&) { tx.execute("delete from " + q.table("jobs")); });
  q.use(handlers);
  const auto id = q.enqueue("k").id;
  const auto job = q.claim_one();
  EXPECT_EQ(code_thrown_by([&] { (void)q.settle(job, Event::succeeded); }), Code::internal);
  EXPECT_EQ(q.state(id), JobState::running);
}

}  // namespace
}  // namespace holdfast::test
