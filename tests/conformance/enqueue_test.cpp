#include <string>
#include <vector>

#include "conformance/queue_test.hpp"
#include "holdfast/error.hpp"
#include "queue/enqueue.hpp"
#include "support/thrown.hpp"

namespace holdfast::test {
namespace {

using queue::Event;
using std::chrono::minutes;
using std::chrono::seconds;
class Enqueue : public QueueTest {};
INSTANTIATE_TEST_SUITE_P(Everywhere, Enqueue, every_backend, backend_name);

TEST_P(Enqueue, a_job_has_the_defaults_of_the_table) {
  const auto id = q.enqueue("k", {}, "payload").id;
  const auto job = q.find(id);
  ASSERT_TRUE(job);
  EXPECT_EQ(job->state, JobState::ready);
  EXPECT_EQ(job->payload, "payload");
  EXPECT_EQ(job->queue, "default");
  EXPECT_EQ(job->priority, 5);
  EXPECT_EQ(job->attempt, 0);
  EXPECT_EQ(job->fence, 0);
  EXPECT_EQ(job->revision, 1);
  EXPECT_FALSE(job->max_attempts);
}

TEST_P(Enqueue, a_rolled_back_transaction_leaves_no_job) {
  {
    db::Transaction transaction(q.connection());
    (void)queue::enqueue(q.access(), NewJob{"k", "{}", {}}, q.now());
  }
  EXPECT_TRUE(q.store().list({}).empty());
}

TEST_P(Enqueue, many_are_answered_in_the_order_given) {
  std::vector<NewJob> jobs;
  for (int i = 0; i < 500; ++i) {
    NewJob job{"k", std::to_string(i), {}};
    if (i % 7 == 0) job.options.unique_key = "key " + std::to_string(i);
    jobs.push_back(job);
  }
  jobs[250].options.unique_key = "key 0";
  const auto answers = q.store().enqueue(jobs);
  ASSERT_EQ(answers.size(), jobs.size());
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (i == 250) continue;
    EXPECT_EQ(answers[i].what, Enqueued::What::created);
    EXPECT_EQ(q.find(answers[i].id)->payload, std::to_string(i));
  }
  EXPECT_EQ(answers[250].what, Enqueued::What::kept);
  EXPECT_EQ(answers[250].id, answers[0].id);
}

TEST_P(Enqueue, a_bad_value_is_refused_before_anything_is_written) {
  std::vector<NewJob> jobs(2, NewJob{"k", "{}", {}});
  const auto refused = [&](auto change) {
    auto batch = jobs;
    change(batch[1]);
    try {
      (void)q.store().enqueue(batch);
    } catch (const Error& error) {
      return std::string(to_string(error.code())) + ": " + error.what();
    }
    return std::string("accepted");
  };
  EXPECT_EQ(refused([](NewJob& j) { j.kind = ""; }), "invalid: kind must not be empty");
  EXPECT_NE(refused([](NewJob& j) { j.kind = "a\nb"; }).find("control"), std::string::npos);
  EXPECT_NE(refused([](NewJob& j) { j.kind = "\xff"; }).find("UTF-8"), std::string::npos);
  EXPECT_NE(refused([](NewJob& j) { j.options.queue = std::string(201, 'q'); }).find("200"),
            std::string::npos);
  EXPECT_NE(refused([](NewJob& j) { j.options.priority = 10; }).find("0 (first) to 9"),
            std::string::npos);
  EXPECT_NE(refused([](NewJob& j) { j.payload = std::string("a\0b", 3); }).find("zero byte"),
            std::string::npos);
  EXPECT_NE(refused([](NewJob& j) { j.payload.assign(1024 * 1024 + 1, 'x'); }).find("1048576"),
            std::string::npos);
  EXPECT_NE(refused([](NewJob& j) { j.options.run_at = Time::max(); }).find("9999"),
            std::string::npos);
  EXPECT_TRUE(q.store().list({}).empty());
}

TEST_P(Enqueue, payload_sizes_up_to_the_limit_come_back_byte_for_byte) {
  for (const std::size_t size : {0UL, 1UL, 7999UL, 8000UL, 8001UL, 262144UL, 1048576UL}) {
    const std::string payload(size, 'p');
    const auto id = q.enqueue("k", {}, payload).id;
    const auto job = q.claim_one();
    EXPECT_EQ(job.id, id);
    EXPECT_EQ(job.payload, payload);
    EXPECT_EQ(q.settle(job, Event::succeeded), queue::Settlement::settled);
    EXPECT_EQ(q.find(id)->payload, payload);
  }
}

TEST_P(Enqueue, payload_is_kept_byte_for_byte) {
  const std::vector<std::string> payloads{"9007199254740993",
                                          "18446744073709551615",
                                          "{\"a\":-0,\"b\":1e400,\"c\":1.10}",
                                          "{\"b\":1,\"a\":2,\"b\":3}",
                                          "  { }\t\n",
                                          std::string(100000, '['),
                                          "\xF0\x9F\x98\x80 \u00e9"};
  for (const auto& payload : payloads) {
    (void)q.enqueue("k", {}, payload);
    EXPECT_EQ(q.claim_one().payload, payload);
  }
}

TEST_P(Enqueue, names_are_data_and_never_sql) {
  const std::vector<std::string> names{"a-b",
                                       "MyQueue",
                                       "myqueue",
                                       "x'; drop table jobs;--",
                                       "\"",
                                       "%_",
                                       "accent\u00e9",
                                       "漢字",
                                       "😀",
                                       std::string(63, 'n'),
                                       std::string(64, 'n'),
                                       std::string(200, 'n'),
                                       " lead",
                                       "trail ",
                                       ".",
                                       "..",
                                       "a/b",
                                       "$1",
                                       "{ns}",
                                       "\\",
                                       "null"};
  for (const auto& name : names) {
    const auto id = q.enqueue(name, {.queue = name, .group = name, .unique_key = name}, name).id;
    EXPECT_EQ(q.enqueue(name, {.queue = name, .unique_key = name}, name).id, id);
    const auto jobs = q.claim({.worker = name, .limit = 10, .queue = name, .kinds = {name}});
    ASSERT_EQ(jobs.size(), 1u) << name;
    EXPECT_EQ(jobs[0].id, id);
    EXPECT_EQ(jobs[0].queue, name);
    EXPECT_EQ(jobs[0].group, name);
    EXPECT_EQ(q.settle(jobs[0], {}, name), queue::Settlement::settled);
  }
  for (const auto& stats : q.store().stats()) EXPECT_EQ(stats.succeeded, 1) << stats.queue;
  EXPECT_EQ(q.store().stats().size(), names.size());
}

TEST_P(Enqueue, a_delay_counts_from_the_databases_now) {
  const auto id = q.enqueue("k", {.delay = minutes(5)}).id;
  EXPECT_EQ(q.state(id), JobState::scheduled);
  EXPECT_TRUE(q.claim({}).empty());
  q.advance(minutes(5));
  EXPECT_EQ(q.state(id), JobState::ready);
  EXPECT_EQ(q.claim_one().id, id);
}

TEST_P(Enqueue, keep_answers_the_live_job_and_changes_nothing) {
  const auto id = q.enqueue("k", {.unique_key = "u"}, "first").id;
  const auto before = q.dump();
  const auto again = q.enqueue("k", {.unique_key = "u"}, "second");
  EXPECT_EQ(again.what, Enqueued::What::kept);
  EXPECT_EQ(again.id, id);
  EXPECT_EQ(q.dump(), before);
}

TEST_P(Enqueue, reject_answers_the_live_job_and_changes_nothing) {
  const auto id = q.enqueue("k", {.unique_key = "u"}, "first").id;
  const auto before = q.dump();
  const auto again =
      q.enqueue("k", {.unique_key = "u", .on_conflict = OnConflict::reject}, "second");
  EXPECT_EQ(again.what, Enqueued::What::rejected);
  EXPECT_EQ(again.id, id);
  EXPECT_EQ(q.dump(), before);
}

TEST_P(Enqueue, a_key_is_free_again_when_its_job_is_final) {
  const auto first = q.enqueue("k", {.unique_key = "u"}).id;
  EXPECT_EQ(q.settle(q.claim_one(), Event::succeeded), queue::Settlement::settled);
  const auto second = q.enqueue("k", {.unique_key = "u"});
  EXPECT_EQ(second.what, Enqueued::What::created);
  EXPECT_NE(second.id, first);
}

TEST_P(Enqueue, the_same_key_in_two_queues_is_two_jobs) {
  const auto a = q.enqueue("k", {.queue = "a", .unique_key = "u"});
  const auto b = q.enqueue("k", {.queue = "b", .unique_key = "u"});
  EXPECT_EQ(b.what, Enqueued::What::created);
  EXPECT_NE(a.id, b.id);
}

TEST_P(Enqueue, replace_gives_a_waiting_job_the_newer_intent) {
  const auto id = q.enqueue("k", {.delay = minutes(1), .unique_key = "u"}, "old").id;
  const auto again =
      q.enqueue("k", {.priority = 1, .unique_key = "u", .on_conflict = OnConflict::replace}, "new");
  EXPECT_EQ(again.what, Enqueued::What::replaced);
  EXPECT_EQ(again.id, id);
  const auto job = q.claim_one();
  EXPECT_EQ(job.payload, "new");
  EXPECT_EQ(job.priority, 1);
  EXPECT_EQ(job.revision, 1) << "it never ran: no payload was seen under its key";
}

TEST_P(Enqueue, replace_of_a_job_that_ever_ran_starts_a_new_revision_and_budget) {
  const auto id = q.enqueue("k", {.unique_key = "u"}, "old").id;
  EXPECT_EQ(q.settle(q.claim_one(), Event::failed), queue::Settlement::settled);
  (void)q.enqueue("k", {.unique_key = "u", .on_conflict = OnConflict::replace}, "new");
  const auto job = q.claim_one();
  EXPECT_EQ(job.id, id);
  EXPECT_EQ(job.revision, 2);
  EXPECT_EQ(job.attempt, 1);
  EXPECT_EQ(job.fence, 2);
}

TEST_P(Enqueue, replace_rearms_a_running_job_and_leaves_its_payload_alone) {
  const auto id = q.enqueue("k", {.unique_key = "u"}, "old").id;
  const auto running = q.claim_one();
  (void)q.enqueue("k", {.unique_key = "u", .on_conflict = OnConflict::replace}, "new");
  EXPECT_EQ(q.find(id)->payload, "old");
  EXPECT_TRUE(q.find(id)->rearmed);
  EXPECT_EQ(q.settle(running, Event::succeeded), queue::Settlement::settled);
  const auto next = q.claim_one();
  EXPECT_EQ(next.id, id);
  EXPECT_EQ(next.payload, "new");
  EXPECT_EQ(next.revision, 2);
  EXPECT_EQ(next.attempt, 1);
  EXPECT_EQ(q.settle(next, Event::succeeded), queue::Settlement::settled);
  EXPECT_EQ(q.number("select count(*) from " + q.table("history")), 2);
}

TEST_P(Enqueue, replace_of_a_running_job_by_another_kind_is_refused) {
  const auto id = q.enqueue("k", {.unique_key = "u"}, "old").id;
  (void)q.claim_one();
  const NewJob other{"other", "new", {.unique_key = "u", .on_conflict = OnConflict::replace}};
  const auto error = thrown_by([&] { (void)q.store().enqueue(other); });
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->code(), Code::invalid);
  EXPECT_NE(std::string(error->what()).find("\"k\" is running"), std::string::npos)
      << error->what();
  EXPECT_FALSE(q.find(id)->rearmed);
}

TEST_P(Enqueue, a_rearmed_job_runs_again_however_its_attempt_ends) {
  const std::vector<Event> ends{
      Event::failed,         Event::undecodable,        Event::snoozed,   Event::released,
      Event::cancel_decided, Event::quarantine_decided, Event::timed_out, Event::lost};
  for (const Event end : ends) {
    const std::string key(queue::to_string(end));
    const auto id = q.enqueue("k", {.max_attempts = 1, .unique_key = key}, "old").id;
    const auto running = q.claim_one();
    (void)q.enqueue("k", {.unique_key = key, .on_conflict = OnConflict::replace}, "new");
    EXPECT_EQ(q.settle(running, end), queue::Settlement::settled) << key;
    const auto next = q.claim_one();
    EXPECT_EQ(next.id, id) << key;
    EXPECT_EQ(next.payload, "new") << key;
    EXPECT_EQ(next.revision, 2) << key;
    EXPECT_EQ(q.settle(next, Event::succeeded), queue::Settlement::settled) << key;
  }
}

TEST_P(Enqueue, idempotency_keys_differ_by_job_and_revision_and_last_for_life) {
  const auto a = q.enqueue("k").id;
  const auto b = q.enqueue("k").id;
  const auto key = q.store().idempotency_key(a, 1);
  EXPECT_NE(key, q.store().idempotency_key(b, 1));
  EXPECT_NE(key, q.store().idempotency_key(a, 2));
  const auto origin = q.store().restored({.actor = "ops", .reason = "restored a copy"});
  EXPECT_EQ(q.store().idempotency_key(a, 1), key);
  const auto c = q.enqueue("k").id;
  EXPECT_EQ(q.store().idempotency_key(c, 1), origin + ":" + std::to_string(c) + ":1");
}

TEST_P(Enqueue, ids_are_right_although_a_trigger_of_the_application_enqueues_as_well) {
  if (q.connection().dialect() != Dialect::sqlite) return;  // there the statement answers its ids
  q.connection().execute("create trigger echo after insert on " + q.table("jobs") +
                         " when new.kind = 'k' begin insert into " + q.table("jobs") +
                         " (kind, payload) values ('echo', new.payload); end");
  std::vector<NewJob> jobs;
  for (int i = 0; i < 100; ++i) jobs.push_back({"k", std::to_string(i), {}});
  const auto answers = q.store().enqueue(jobs);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const auto job = q.find(answers[i].id);
    EXPECT_EQ(job->kind, "k");
    EXPECT_EQ(job->payload, jobs[i].payload);
  }
  EXPECT_EQ(q.number("select count(*) from " + q.table("jobs")), 200);
}

}  // namespace
}  // namespace holdfast::test
