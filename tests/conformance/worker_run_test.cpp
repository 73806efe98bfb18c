#include <set>
#include <string>
#include <vector>

#include "conformance/worker_test.hpp"
#include "holdfast/error.hpp"
#include "support/thrown.hpp"

namespace holdfast::test {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

class WorkerRuns : public WorkerTest {};
INSTANTIATE_TEST_SUITE_P(Everywhere, WorkerRuns, healthy_backends, backend_name);

struct Greeting {
  static constexpr std::string_view kind = "greeting";
  std::string name;
  [[nodiscard]] std::string encode() const { return name; }
  static Greeting decode(std::string_view text) {
    if (text.empty()) throw Undecodable("nobody to greet");
    return {std::string(text)};
  }
};

TEST_P(WorkerRuns, each_job_once_with_its_payload) {
  std::mutex mutex;
  std::multiset<std::string> seen;
  Handlers handlers;
  handlers.on<Greeting>([&](const Greeting& greeting) {
    const std::lock_guard lock(mutex);
    seen.insert(greeting.name);
    return done();
  });
  std::multiset<std::string> sent;
  for (int i = 0; i < 200; ++i) {
    sent.insert("n" + std::to_string(i));
    (void)q.store().enqueue(Greeting{"n" + std::to_string(i)});
  }
  WorkerOptions options = quick();
  options.queues = {{"default", {.threads = 4}}};
  options.drain = true;
  RunningWorker worker(q.store(), handlers, options);
  const WorkerReport report = worker.report();
  EXPECT_EQ(seen, sent);
  EXPECT_EQ(report.started, 200);
  EXPECT_EQ(report.succeeded, 200);
  EXPECT_EQ(q.number("select count(*) from " + q.table("claims")), 0);
}

TEST_P(WorkerRuns, drain_returns_at_once_when_there_is_nothing) {
  WorkerOptions options = quick();
  options.drain = true;
  (void)enqueue("k", {.delay = hours(1)});
  Handlers handlers;
  handlers.on("k", [](Run&) { return done(); });
  RunningWorker worker(q.store(), handlers, options);
  EXPECT_EQ(worker.report().started, 0);
}

TEST_P(WorkerRuns, a_retry_again_and_keeps_why) {
  Handlers handlers;
  handlers.on("k", [](Run& run) {
    if (run.attempt() == 1)
      return retry("mail host is down", FailureClass::external, milliseconds(1));
    return done();
  });
  const JobId id = enqueue("k");
  RunningWorker worker(q.store(), handlers);
  ASSERT_TRUE(reaches(id, JobState::succeeded));
  EXPECT_EQ(row(id).attempt, 2);
  EXPECT_EQ(q.number("select count(*) from " + q.table("attempts") +
                     " where outcome = 'failed' and failure_class = 'external'"
                     " and message = 'mail host is down'"),
            1);
}

TEST_P(WorkerRuns, a_snoozed_job_later_without_using_an_attempt) {
  std::atomic<int> starts = 0;
  Handlers handlers;
  handlers.on("k", [&](Run&) { return ++starts == 1 ? snooze(milliseconds(1)) : done(); });
  const JobId id = enqueue("k");
  RunningWorker worker(q.store(), handlers);
  ASSERT_TRUE(reaches(id, JobState::succeeded));
  EXPECT_EQ(starts, 2);
  EXPECT_EQ(row(id).attempt, 1);
}

TEST_P(WorkerRuns, a_job_whose_handler_cancels_or_quarantines_it_to_its_end) {
  Handlers handlers;
  handlers.on("unwanted", [](Run&) { return cancel("the order was withdrawn"); });
  handlers.on("broken", [](Run&) { return quarantine("no such customer"); });
  const JobId unwanted = enqueue("unwanted");
  const JobId broken = enqueue("broken");
  RunningWorker worker(q.store(), handlers);
  ASSERT_TRUE(reaches(unwanted, JobState::cancelled));
  ASSERT_TRUE(reaches(broken, JobState::quarantined));
  EXPECT_EQ(row(broken).last_error, "no such customer");
  EXPECT_EQ(row(broken).last_failure, FailureClass::data);
}

TEST_P(WorkerRuns, what_a_handler_throws_is_a_failure) {
  Handlers handlers;
  handlers.on("k", [](Run& run) -> Outcome {
    if (run.job().payload == "number") throw 42;
    throw std::runtime_error("latin \xe9");
  });
  const JobId text = enqueue("k", {.max_attempts = 1}, "text");
  const JobId number = enqueue("k", {.max_attempts = 1}, "number");
  RunningWorker worker(q.store(), handlers);
  ASSERT_TRUE(reaches(text, JobState::quarantined));
  ASSERT_TRUE(reaches(number, JobState::quarantined));
  EXPECT_EQ(row(text).last_error, "latin \uFFFD");
  EXPECT_EQ(worker.stop().failed, 2);
}

TEST_P(WorkerRuns, an_undecodable_payload_is_tried_later) {
  Handlers handlers;
  handlers.on<Greeting>([](const Greeting&) { return done(); });
  const JobId id = enqueue("greeting", {}, "");
  RunningWorker worker(q.store(), handlers);
  ASSERT_TRUE(reaches(id, JobState::retrying));
  EXPECT_EQ(q.number("select count(*) from " + q.table("attempts") +
                     " where outcome = 'undecodable' and failure_class = 'data'"),
            1);
}

TEST_P(WorkerRuns, nothing_of_a_kind_it_does_not_know) {
  Handlers handlers;
  handlers.on("k", [](Run&) { return done(); });
  const JobId unknown = enqueue("unknown");
  const JobId known = enqueue("k");
  RunningWorker worker(q.store(), handlers);
  ASSERT_TRUE(reaches(known, JobState::succeeded));
  EXPECT_EQ(worker.stop().started, 1);
  EXPECT_EQ(row(unknown).fence, 0);
}

TEST_P(WorkerRuns, every_queue_that_has_work_when_asked_for_a_star) {
  Handlers handlers;
  handlers.on("k", [](Run&) { return done(); });
  const JobId mail = enqueue("k", {.queue = "mail"});
  const JobId images = enqueue("k", {.queue = "images"});
  WorkerOptions options = quick();
  options.shared_queues = {"*"};
  options.shared_threads = 2;
  RunningWorker worker(q.store(), handlers, options);
  EXPECT_TRUE(reaches(mail, JobState::succeeded));
  EXPECT_TRUE(reaches(images, JobState::succeeded));
  const JobId later = enqueue("k", {.queue = "later"});
  EXPECT_TRUE(reaches(later, JobState::succeeded));
}

TEST_P(WorkerRuns, every_queue_however_many_there_are) {
  constexpr int idle = 1050;
  std::vector<NewJob> jobs;
  for (int i = 0; i < idle; ++i) {
    NewJob later{.kind = "k"};
    later.options.queue = "idle " + std::to_string(i);
    later.options.delay = std::chrono::hours(10);
    jobs.push_back(later);
  }
  NewJob last{.kind = "k"};
  last.options.queue = "the last one";
  jobs.push_back(last);
  const JobId id = q.store().enqueue(jobs).back().id;
  Handlers handlers;
  handlers.on("k", [](Run&) { return done(); });
  WorkerOptions options = quick();
  options.queues = {{"*", {}}};
  options.drain = true;
  RunningWorker worker(q.store(), handlers, options);
  EXPECT_EQ(worker.report().succeeded, 1);
  EXPECT_EQ(state(id), JobState::succeeded);
}

TEST_P(WorkerRuns, a_job_that_was_woken_up_for_without_waiting_for_the_poll) {
  Handlers handlers;
  handlers.on("k", [](Run&) { return done(); });
  const JobId first = enqueue("k");
  WorkerOptions options = quick();
  options.poll = std::chrono::duration_cast<Duration>(hours(1));
  RunningWorker worker(q.store(), handlers, options);
  ASSERT_TRUE(reaches(first, JobState::succeeded));
  const JobId second = enqueue("k");
  worker.worker().wake();
  EXPECT_TRUE(reaches(second, JobState::succeeded));
}

TEST_P(WorkerRuns, a_running_job_that_is_cancelled_to_the_end_of_its_handler) {
  Signal started;
  std::atomic<bool> seen = false;
  Handlers handlers;
  handlers.on("k", [&](Run& run) {
    started.raise();
    wait_for(run.stop());
    seen = run.cancel_requested();
    return retry("told to stop");
  });
  const JobId id = enqueue("k");
  RunningWorker worker(q.store(), handlers);
  ASSERT_TRUE(started.wait());
  EXPECT_EQ(q.store().cancel(id, {"ops", "not wanted"}), Cancelled::requested);
  ASSERT_TRUE(reaches(id, JobState::cancelled));
  EXPECT_TRUE(seen);
}

TEST_P(WorkerRuns, deferred_attempts_answered_by_another_thread) {
  std::mutex mutex;
  std::vector<Deferred> handles;
  Handlers handlers;
  handlers.on("k", [&](Run& run) {
    const std::lock_guard lock(mutex);
    handles.push_back(run.defer());
    return deferred();
  });
  std::vector<JobId> ids;
  for (int i = 0; i < 20; ++i) ids.push_back(enqueue("k"));
  RunningWorker worker(q.store(), handlers);  // one thread, twenty attempts at the same time
  ASSERT_TRUE(eventually([&] {
    const std::lock_guard lock(mutex);
    return handles.size() == 20;
  }));
  for (Deferred& handle : handles) handle.settle(done());
  EXPECT_EQ(code_thrown_by([&] { handles[0].settle(done()); }), Code::misuse);
  for (const JobId id : ids) EXPECT_TRUE(reaches(id, JobState::succeeded));
  EXPECT_EQ(worker.stop().succeeded, 20);
}

TEST_P(WorkerRuns, no_more_deferred_attempts_than_allowed) {
  std::mutex mutex;
  std::vector<Deferred> handles;
  std::size_t most = 0;
  Handlers handlers;
  handlers.on("k", [&](Run& run) {
    const std::lock_guard lock(mutex);
    handles.push_back(run.defer());
    most = std::max(most, handles.size());
    return deferred();
  });
  for (int i = 0; i < 30; ++i) (void)enqueue("k");
  WorkerOptions options = quick();
  options.deferred_max = 5;
  RunningWorker worker(q.store(), handlers, options);
  ASSERT_TRUE(eventually([&] {
    const std::lock_guard lock(mutex);
    if (!handles.empty()) handles.back().settle(done());
    if (!handles.empty()) handles.pop_back();
    return q.number("select count(*) from " + q.table("history")) == 30;
  }));
  EXPECT_LE(most, 5U);
}

TEST_P(WorkerRuns, a_dropped_settle_handle_is_a_failure_that_says_so) {
  Handlers handlers;
  handlers.on("k", [](Run& run) {
    { const Deferred dropped = run.defer(); }
    return deferred();
  });
  handlers.on("unused", [](Run& run) {
    { const Deferred dropped = run.defer(); }
    return done();
  });
  const JobId id = enqueue("k", {.max_attempts = 1});
  const JobId answered = enqueue("unused");
  RunningWorker worker(q.store(), handlers);
  ASSERT_TRUE(reaches(id, JobState::quarantined));
  EXPECT_EQ(row(id).last_error, "the settle handle was dropped without an answer");
  EXPECT_TRUE(reaches(answered, JobState::succeeded));
}

TEST_P(WorkerRuns, hooks_in_the_transaction_that_ends_the_job) {
  q.connection().execute("create table effects (what text)");
  const auto note = [](const char* what) {
    return [what](Session& session, const JobRow&) {
      session.execute("insert into effects values ($1)", {std::string_view(what)});
    };
  };
  Handlers handlers;
  handlers.on("good", [](Run&) { return done(); }).on_success(note("success"));
  handlers.on("bad", [](Run&) { return quarantine("bad"); }).on_quarantine(note("quarantine"));
  handlers.on("off", [](Run&) { return cancel("off"); }).on_cancel(note("cancel"));
  const JobId good = enqueue("good");
  const JobId bad = enqueue("bad");
  const JobId off = enqueue("off");
  RunningWorker worker(q.store(), handlers);
  ASSERT_TRUE(reaches(good, JobState::succeeded));
  ASSERT_TRUE(reaches(bad, JobState::quarantined));
  ASSERT_TRUE(reaches(off, JobState::cancelled));
  EXPECT_EQ(q.number("select count(*) from effects"), 3);
}

TEST_P(WorkerRuns, a_hook_that_throws_leaves_its_job_alone_unfinished) {
  Handlers handlers;
  handlers.on("k", [](Run&) { return done(); }).on_success([](Session&, const JobRow&) {
    throw std::runtime_error("hook is broken");
  });
  handlers.on("plain", [](Run&) { return done(); });
  const JobId id = enqueue("k");
  const JobId other = enqueue("plain");
  RunningWorker worker(q.store(), handlers);
  ASSERT_TRUE(reaches(id, JobState::retrying));
  EXPECT_TRUE(reaches(other, JobState::succeeded));
  EXPECT_EQ(q.number("select count(*) from " + q.table("attempts") + " where outcome = 'failed'"),
            1);
}

TEST_P(WorkerRuns, nothing_of_a_kind_whose_hooks_are_elsewhere) {
  Handlers elsewhere;
  elsewhere.on("k", [](Run&) { return done(); }).on_success([](Session&, const JobRow&) {});
  q.use(elsewhere);
  Handlers handlers;
  handlers.on("k", [](Run&) { return done(); });
  handlers.on("plain", [](Run&) { return done(); });
  std::mutex mutex;
  std::string logged;
  WorkerOptions options = quick();
  options.log = [&](LogLevel, std::string_view text) {
    const std::lock_guard lock(mutex);
    logged += text;
  };
  const JobId id = enqueue("k");
  const JobId plain = enqueue("plain");
  RunningWorker worker(q.store(), handlers, options);
  ASSERT_TRUE(reaches(plain, JobState::succeeded));
  EXPECT_EQ(worker.stop().started, 1);
  EXPECT_EQ(row(id).fence, 0);
  EXPECT_NE(logged.find("kind \"k\""), std::string::npos);
}

TEST_P(WorkerRuns, only_once) {
  WorkerOptions options = quick();
  options.drain = true;
  Worker worker(q.store(), {}, options);
  (void)worker.run({});
  EXPECT_EQ(code_thrown_by([&] { (void)worker.run({}); }), Code::misuse);
}

TEST_P(WorkerRuns, only_with_options_that_can_work) {
  const auto refused = [&](const std::function<void(WorkerOptions&)>& change) {
    WorkerOptions options = quick();
    change(options);
    return code_thrown_by([&] { const Worker worker(q.store(), {}, options); }) == Code::invalid;
  };
  EXPECT_TRUE(refused([](auto& o) { o.lease = milliseconds(499); }));
  EXPECT_TRUE(refused([](auto& o) { o.queues = {}; }));
  EXPECT_TRUE(refused([](auto& o) { o.queues = {{"default", {.threads = 0}}}; }));
  EXPECT_TRUE(refused([](auto& o) { o.queues = {{"default", {.threads = 1025}}}; }));
  EXPECT_TRUE(refused([](auto& o) { o.queues = {{"", {}}}; }));
  EXPECT_TRUE(refused([](auto& o) { o.grace = milliseconds(-1); }));
  EXPECT_TRUE(refused([](auto& o) { o.grace = Duration::max(); }));
  EXPECT_TRUE(refused([](auto& o) { o.timeout_grace = Duration::max(); }));
  EXPECT_TRUE(refused([](auto& o) { o.poll = Duration::max(); }));
  EXPECT_TRUE(refused([](auto& o) { o.batch = 0; }));
  EXPECT_TRUE(refused([](auto& o) { o.batch = 10'001; }));
  EXPECT_TRUE(refused([](auto& o) { o.connections_max = 2; }));
  EXPECT_TRUE(refused([](auto& o) { o.maintenance = seconds(3); }));
  EXPECT_FALSE(refused([](auto&) {}));
  Handlers handlers;
  EXPECT_EQ(code_thrown_by(
                [&] { handlers.on("k", [](Run&) { return done(); }).timeout(Duration::max()); }),
            Code::invalid);
}

TEST_P(WorkerRuns, queues_whose_contract_asks_for_absurd_times) {
  q.connection().execute("insert into " + q.table("queues") +
                         " (queue, lease_ms, timeout_ms) values"
                         " ('default', 9223372036854775, 9223372036854775)");
  Handlers handlers;
  handlers.on("k", [](Run&) { return done(); });
  const JobId id = enqueue("k");
  RunningWorker worker(q.store(), handlers);
  ASSERT_TRUE(reaches(id, JobState::succeeded));
  EXPECT_EQ(worker.stop().leases_lost, 0);
}

TEST_P(WorkerRuns, no_done_in_without_a_connection_for_it) {
  std::atomic<bool> refused = false;
  Handlers handlers;
  handlers.on("k", [&](Run& run) {
    refused = code_thrown_by([&] { (void)run.done_in([](Session&) {}); }) == Code::misuse;
    return done();
  });
  const JobId id = enqueue("k");
  WorkerOptions options = quick();
  options.connections_max = 3;
  RunningWorker worker(q.store(), handlers, options);
  ASSERT_TRUE(reaches(id, JobState::succeeded));
  EXPECT_TRUE(refused);
}

class WorkerOnSqlite : public WorkerTest {};
INSTANTIATE_TEST_SUITE_P(Everywhere, WorkerOnSqlite,
                         ::testing::Values(Backend::memory, Backend::file), backend_name);

TEST_P(WorkerOnSqlite, a_payload_that_is_not_utf8_goes_to_quarantine) {
  q.connection().execute("insert into " + q.table("jobs") +
                         " (kind, payload) values ('k', cast(x'ff41' as text))");
  Handlers handlers;
  handlers.on("k", [](Run&) { return done(); });
  RunningWorker worker(q.store(), handlers);
  ASSERT_TRUE(eventually([&] { return state(1) == JobState::quarantined; }));
  EXPECT_EQ(row(1).last_error, "payload is not valid UTF-8");
  EXPECT_EQ(worker.stop().started, 0);
}

}  // namespace
}  // namespace holdfast::test
