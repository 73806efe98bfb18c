#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "simulation/model.hpp"
#include "support/campaign.hpp"
#include "support/queue_under_test.hpp"

/// Random sequences of everything that can happen to jobs, against the model and on both databases:
/// the same sequence must give the same visible answers everywhere.
namespace holdfast::test {
namespace {

using std::chrono::seconds;

struct Step {
  enum class What { enqueue, claim, settle, renew, pass, sweep, cancel, replay };
  What what = What::enqueue;
  int a = 0, b = 0, c = 0;
};

std::ostream& operator<<(std::ostream& out, const Step& step) {
  static const char* names[] = {"enqueue", "claim", "settle", "renew",
                                "pass",    "sweep", "cancel", "replay"};
  return out << names[static_cast<int>(step.what)] << "(" << step.a << "," << step.b << ","
             << step.c << ")";
}

rc::Gen<Step> steps() {
  const auto what = rc::gen::weightedElement<Step::What>({{5, Step::What::enqueue},
                                                          {6, Step::What::claim},
                                                          {6, Step::What::settle},
                                                          {1, Step::What::renew},
                                                          {3, Step::What::pass},
                                                          {2, Step::What::sweep},
                                                          {1, Step::What::cancel},
                                                          {1, Step::What::replay}});
  return rc::gen::build<Step>(rc::gen::set(&Step::what, what),
                              rc::gen::set(&Step::a, rc::gen::inRange(0, 1000)),
                              rc::gen::set(&Step::b, rc::gen::inRange(0, 1000)),
                              rc::gen::set(&Step::c, rc::gen::inRange(0, 1000)));
}

/// A real queue, spoken to in the model's words.
class Real {
 public:
  explicit Real(Backend backend) : q_(backend) {
    q_.connection().execute("insert into " + q_.table("queues") +
                            " (queue, retry_curve, retry_jitter) values ('default', 'power', 0)");
    q_.use({});
  }

  /// A new run on emptied tables.
  void begin() {
    for (const char* name : {"jobs", "claims", "quarantine", "history", "attempts", "receipts"}) {
      q_.connection().execute("delete from " + q_.table(name));
    }
    start_ = q_.now();
    ids_.clear();
    rows_.clear();
    claims_.clear();
  }

  std::string enqueue(int key, int priority, long delay, int max_attempts, int version,
                      bool replace) {
    EnqueueOptions options;
    options.priority = priority;
    options.run_at = q_.now() + seconds(delay);
    options.max_attempts = max_attempts;
    if (key != 0) options.unique_key = "key" + std::to_string(key);
    options.on_conflict = replace ? OnConflict::replace : OnConflict::keep;
    const auto answer = q_.enqueue("k", options, "v" + std::to_string(version));
    if (answer.what == Enqueued::What::created) ids_.push_back(answer.id);
    return std::string(to_string(answer.what)) + " " + std::to_string(index_of(answer.id));
  }

  std::string claim(int limit, long lease) {
    const auto jobs = q_.claim({.limit = limit, .lease = seconds(lease)});
    if (jobs.empty()) return "nothing";
    claims_.push_back(jobs.front());
    std::string text = "claimed";
    for (const auto& job : jobs) {
      rows_.push_back(job);
      text += " " + std::to_string(index_of(job.id)) + "/" + job.payload + "/a" +
              std::to_string(job.attempt);
    }
    return text;
  }

  std::string settle(std::size_t lease, End end, long delay) {
    static const std::map<End, queue::Event> events{
        {End::done, queue::Event::succeeded},        {End::fail, queue::Event::failed},
        {End::snooze, queue::Event::snoozed},        {End::release, queue::Event::released},
        {End::cancel, queue::Event::cancel_decided}, {End::never, queue::Event::quarantine_decided},
        {End::timeout, queue::Event::timed_out}};
    queue::Happened happened;
    happened.event = events.at(end);
    happened.reason = "model";
    if (end == End::fail || end == End::snooze) happened.delay = seconds(delay);
    const auto& row = rows_.at(lease);
    const auto answer = q_.settle(row, happened);
    if (answer == queue::Settlement::settled) forget_claim_if_empty(*row.claim_id);
    return answer == queue::Settlement::settled ? "settled" : "not mine";
  }

  std::string renew(std::size_t claim, long lease) {
    return q_.renew(claims_.at(claim), "w1", seconds(lease)) ? "renewed" : "lost";
  }

  std::string sweep() { return "swept " + std::to_string(q_.sweep()); }

  std::string cancel(int job) {
    const Operator who{.actor = "model", .reason = "random"};
    return std::string(to_string(q_.store().cancel(ids_.at(static_cast<std::size_t>(job)), who)));
  }

  std::string replay(int job) {
    const Operator who{.actor = "model", .reason = "random"};
    const auto answer = q_.store().replay(ids_.at(static_cast<std::size_t>(job)), who);
    // The store goes by the real clock: bring the job to the time of this run.
    if (answer.what == Replayed::What::new_job) ids_.push_back(answer.id);
    if (answer.what == Replayed::What::new_job || answer.what == Replayed::What::replayed) {
      q_.connection().execute("update " + q_.table("jobs") + " set run_at = $1 where id = $2",
                              {q_.now().time_since_epoch().count(), answer.id});
    }
    return std::string(to_string(answer.what));
  }

  void advance(long by) { q_.advance(seconds(by)); }

  std::string picture() {
    std::string text;
    for (const JobId id : ids_) {
      const auto job = q_.find(id);
      const bool waiting = job->state == JobState::ready || job->state == JobState::scheduled ||
                           job->state == JobState::retrying;
      text += std::string(waiting ? "waiting" : to_string(job->state)) + " a" +
              std::to_string(job->attempt) + " f" + std::to_string(job->fence) + " r" +
              std::to_string(job->revision) + " " + job->payload;
      if (waiting) {
        text += " due" +
                std::to_string(std::chrono::duration_cast<seconds>(job->run_at - start_).count());
      }
      text += "\n";
    }
    return text;
  }

 private:
  [[nodiscard]] std::size_t index_of(JobId id) const {
    return static_cast<std::size_t>(std::find(ids_.begin(), ids_.end(), id) - ids_.begin());
  }

  /// What a worker does when the last job of a claim was answered.
  void forget_claim_if_empty(std::int64_t claim) {
    if (q_.number("select count(*) from " + q_.table("jobs") +
                  " where claim_id = " + std::to_string(claim)) != 0) {
      return;
    }
    q_.connection().execute("delete from " + q_.table("claims") + " where id = $1", {claim});
  }

  QueueUnderTest q_;
  Time start_{};
  std::vector<JobId> ids_;
  std::vector<JobRow> rows_;    // in the order of Model::leases
  std::vector<JobRow> claims_;  // one row of each claim, in the order they were made
};

/// One step on the model or on a real queue; `shape` (the model before the step) says what exists.
template <class Subject>
std::string take(Subject& subject, const Step& step, const Model& shape) {
  const auto pick = [](int value, int size) { return value % size; };
  switch (step.what) {
    case Step::What::enqueue:
      return subject.enqueue(pick(step.a, 5), pick(step.b, 3) * 4, pick(step.c, 4) * 10,
                             1 + pick(step.a + step.b, 4), step.c, step.b % 2 == 0);
    case Step::What::claim: return subject.claim(1 + pick(step.a, 4), 5 + pick(step.b, 30));
    case Step::What::settle: {
      if (shape.leases().empty()) return "no lease";
      // Mostly a recent lease, now and then a stale one.
      const int size = static_cast<int>(shape.leases().size());
      const int index =
          step.b % 4 == 0 ? pick(step.a, size) : size - 1 - pick(step.a, std::min(size, 4));
      const auto end = static_cast<End>(pick(step.c, 7));
      if constexpr (std::is_same_v<Subject, Model>) {
        return subject.settle(shape.leases().at(static_cast<std::size_t>(index)), end,
                              pick(step.b, 50));
      } else {
        return subject.settle(static_cast<std::size_t>(index), end, pick(step.b, 50));
      }
    }
    case Step::What::renew: {
      if (shape.claims() == 0) return "no claim";
      const int claim = pick(step.a, shape.claims());
      if constexpr (std::is_same_v<Subject, Model>) {
        return subject.renew(claim + 1, 20);
      } else {
        return subject.renew(static_cast<std::size_t>(claim), 20);
      }
    }
    case Step::What::pass: subject.advance(1 + pick(step.a, 40)); return "passed";
    case Step::What::sweep: return subject.sweep();
    case Step::What::cancel:
      return shape.jobs() == 0 ? "no job" : subject.cancel(pick(step.a, shape.jobs()));
    case Step::What::replay:
      return shape.jobs() == 0 ? "no job" : subject.replay(pick(step.a, shape.jobs()));
  }
  return "";
}

void run_both(Real& real, const std::vector<Step>& sequence) {
  Model model;
  real.begin();
  std::size_t count = 0;
  for (const Step& step : sequence) {
    const Model before = model;
    const std::string expected = take(model, step, before);
    const std::string seen = take(real, step, before);
    if (expected != seen)
      RC_FAIL("step " + std::to_string(count) + ": expected " + expected + ", saw " + seen);
    if (++count % 8 == 0) RC_ASSERT(real.picture() == model.picture());
  }
  RC_ASSERT(real.picture() == model.picture());
}

/// Sequences to try: HOLDFAST_SEQUENCES, if given. Both tests draw the same ones, because
/// every check of a program starts from the seed that it prints.
void set_sequences() {
  const char* wanted = std::getenv("HOLDFAST_SEQUENCES");
  const std::string params =
      "max_success=" +
      (wanted == nullptr ? std::to_string(rounds(300, 20'000)) : std::string(wanted));
  ::setenv("RC_PARAMS", params.c_str(), 0);
}

void check_backend(Backend backend) {
  set_sequences();
  Real real(backend);
  EXPECT_TRUE(rc::check("the queue does what the model does", [&] {
    run_both(real, *rc::gen::resize(60, rc::gen::container<std::vector<Step>>(steps())));
  }));
}

TEST(Model, sqlite_gives_the_answers_of_the_model) { check_backend(Backend::memory); }

TEST(Model, postgres_gives_the_answers_of_the_model) { check_backend(Backend::postgres); }

}  // namespace
}  // namespace holdfast::test
