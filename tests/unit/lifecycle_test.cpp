#include "queue/lifecycle.hpp"

#include <gtest/gtest.h>

#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace holdfast::queue {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

constexpr Time now{Duration(1'000'000'000'000)};
constexpr Time was_due{Duration(999'000'000'000)};

RetryPolicy plain_policy() {
  RetryPolicy policy;
  policy.jitter = 0;
  return policy;
}

Event event_named(const std::string& name) {
  for (int i = 0; i <= static_cast<int>(Event::hook_failed); ++i) {
    const auto event = static_cast<Event>(i);
    if (to_string(event) == name) return event;
  }
  ADD_FAILURE() << "no event " << name;
  return Event::picked;
}

std::string describe(const Change& change) {
  static const std::map<Change::To, std::string> names{
      {Change::To::start, "start"},         {Change::To::wait, "wait"},
      {Change::To::rearm, "rearm"},         {Change::To::succeeded, "succeeded"},
      {Change::To::cancelled, "cancelled"}, {Change::To::quarantined, "quarantined"}};
  std::ostringstream text;
  text << names.at(change.to) << " attempt=" << change.attempt;
  if (change.to == Change::To::wait || change.to == Change::To::rearm) {
    if (change.run_at == was_due) {
      text << " due=same";
    } else {
      text << " due=+"
           << std::chrono::duration_cast<std::chrono::milliseconds>(change.run_at - now).count();
    }
  }
  if (change.archive) text << " archive";
  if (change.mark_cancel) text << " mark_cancel";
  text << " row=" << (change.outcome.empty() ? "-" : change.outcome);
  if (change.failure) text << "/" << to_string(*change.failure);
  return text.str();
}

/// One line: event, what is true of the job ("-": nothing special), then what is written.
///   a2/5      attempt 2 of 5            rearmed, cancel, foreign (hooks elsewhere)
///   unstarted released before its handler was called
///   lost1     the attempt before was lost too; undec2, hookfail3 likewise
struct Line {
  std::string event;
  std::string facts;
  std::string expected;
};

Change decide_line(const Line& line) {
  Facts facts;
  facts.attempt = 1;
  facts.run_at = was_due;
  Happened happened;
  happened.event = event_named(line.event);
  happened.reason = "because";
  std::istringstream words(line.facts);
  for (std::string word; words >> word;) {
    if (word == "rearmed") facts.rearmed = true;
    if (word == "cancel") facts.cancel_requested = true;
    if (word == "foreign") facts.may_finish = false;
    if (word == "unstarted") happened.started = false;
    if (word == "delay7") happened.delay = seconds(7);
    if (word == "external") happened.failure = FailureClass::external;
    if (word.rfind("lost", 0) == 0) facts.lost_before = std::stoi(word.substr(4));
    if (word.rfind("undec", 0) == 0) facts.undecodable_before = std::stoi(word.substr(5));
    if (word.rfind("hookfail", 0) == 0) facts.hook_failures_before = std::stoi(word.substr(8));
    if (word[0] == 'a' && word.find('/') != std::string::npos) {
      facts.attempt = std::stoi(word.substr(1));
      facts.max_attempts = std::stoi(word.substr(word.find('/') + 1));
    }
  }
  return decide(facts, happened, now, plain_policy(), 0.5);
}

// Every event against every kind of job. Delays are milliseconds.
const std::vector<Line> table{
    // picked
    {"picked", "a1/20", "start attempt=1 row=-"},
    {"picked", "a20/20", "start attempt=20 row=-"},
    {"picked", "a21/20", "quarantined attempt=20 row=-/application"},
    {"picked", "a21/20 foreign", "wait attempt=20 due=+0 row=-/application"},
    {"picked", "a1/20 cancel", "cancelled attempt=0 row=-"},
    {"picked", "a21/20 cancel", "cancelled attempt=20 row=-"},
    {"picked", "a1/20 cancel foreign", "wait attempt=0 due=+0 row=-"},
    {"picked", "a1/20 rearmed", "start attempt=1 row=-"},
    {"picked", "a21/20 rearmed", "rearm attempt=21 due=+0 row=-"},
    {"picked", "a1/20 cancel rearmed", "rearm attempt=1 due=+0 row=-"},
    // succeeded
    {"succeeded", "a1/20", "succeeded attempt=1 row=-"},
    {"succeeded", "a20/20", "succeeded attempt=20 row=-"},
    {"succeeded", "a1/20 cancel", "succeeded attempt=1 row=-"},
    {"succeeded", "a1/20 rearmed", "rearm attempt=1 due=+0 archive row=-"},
    {"succeeded", "a1/20 rearmed cancel", "rearm attempt=1 due=+0 archive row=-"},
    // failed
    {"failed", "a1/20", "wait attempt=1 due=+1000 row=failed/application"},
    {"failed", "a2/20", "wait attempt=2 due=+16000 row=failed/application"},
    {"failed", "a19/20 external", "wait attempt=19 due=+86400000 row=failed/external"},
    {"failed", "a2/20 delay7", "wait attempt=2 due=+7000 row=failed/application"},
    {"failed", "a20/20", "quarantined attempt=20 row=failed/application"},
    {"failed", "a20/20 foreign", "wait attempt=20 due=+0 row=failed/application"},
    {"failed", "a20/20 rearmed", "rearm attempt=20 due=+0 row=failed/application"},
    {"failed", "a1/20 cancel", "cancelled attempt=1 row=failed/application"},
    {"failed", "a1/20 cancel foreign", "wait attempt=1 due=+0 row=failed/application"},
    {"failed", "a1/20 cancel rearmed", "rearm attempt=1 due=+0 row=failed/application"},
    // undecodable: three tries, about ten minutes
    {"undecodable", "a1/20", "wait attempt=1 due=+60000 row=undecodable/data"},
    {"undecodable", "a2/20 undec1", "wait attempt=2 due=+540000 row=undecodable/data"},
    {"undecodable", "a3/20 undec2", "quarantined attempt=3 row=undecodable/data"},
    {"undecodable", "a9/20 undec2", "quarantined attempt=9 row=undecodable/data"},
    {"undecodable", "a1/1", "quarantined attempt=1 row=undecodable/data"},
    {"undecodable", "a3/20 undec2 foreign", "wait attempt=20 due=+0 row=undecodable/data"},
    {"undecodable", "a3/20 undec2 rearmed", "rearm attempt=3 due=+0 row=undecodable/data"},
    {"undecodable", "a1/20 cancel", "cancelled attempt=1 row=undecodable/data"},
    // snoozed: no failure, the attempt is given back
    {"snoozed", "a1/20 delay7", "wait attempt=0 due=+7000 row=snoozed"},
    {"snoozed", "a20/20 delay7", "wait attempt=19 due=+7000 row=snoozed"},
    {"snoozed", "a1/20 delay7 cancel", "cancelled attempt=0 row=snoozed"},
    {"snoozed", "a1/20 delay7 rearmed", "rearm attempt=0 due=+0 row=snoozed"},
    // released: back to its place, no blame
    {"released", "a1/20", "wait attempt=0 due=same row=released"},
    {"released", "a1/20 unstarted", "wait attempt=0 due=same row=-"},
    {"released", "a20/20", "wait attempt=19 due=same row=released"},
    {"released", "a1/20 cancel", "cancelled attempt=0 row=released"},
    {"released", "a1/20 cancel foreign", "wait attempt=0 due=+0 row=released"},
    {"released", "a1/20 rearmed", "rearm attempt=0 due=+0 row=released"},
    // what the handler decides
    {"cancel_decided", "a1/20", "cancelled attempt=1 row=cancelled"},
    {"cancel_decided", "a1/20 foreign", "wait attempt=1 due=+0 mark_cancel row=cancelled"},
    {"cancel_decided", "a1/20 cancel foreign", "wait attempt=1 due=+0 row=cancelled"},
    {"cancel_decided", "a1/20 rearmed", "rearm attempt=1 due=+0 row=cancelled"},
    {"quarantine_decided", "a1/20", "quarantined attempt=1 row=quarantined/application"},
    {"quarantine_decided", "a1/20 foreign", "wait attempt=20 due=+0 row=quarantined/application"},
    {"quarantine_decided", "a1/20 cancel", "cancelled attempt=1 row=quarantined/application"},
    {"quarantine_decided", "a1/20 rearmed", "rearm attempt=1 due=+0 row=quarantined/application"},
    // timed out: like a failure, of its own class
    {"timed_out", "a1/20", "wait attempt=1 due=+1000 row=timeout/timeout"},
    {"timed_out", "a20/20", "quarantined attempt=20 row=timeout/timeout"},
    {"timed_out", "a1/20 cancel", "cancelled attempt=1 row=timeout/timeout"},
    {"timed_out", "a20/20 rearmed", "rearm attempt=20 due=+0 row=timeout/timeout"},
    // lost: taken over at once, then with back-off
    {"lost", "a1/20", "wait attempt=1 due=+0 row=lost/lost"},
    {"lost", "a2/20 lost1", "wait attempt=2 due=+1000 row=lost/lost"},
    {"lost", "a3/20 lost2", "wait attempt=3 due=+16000 row=lost/lost"},
    {"lost", "a20/20", "quarantined attempt=20 row=lost/lost"},
    {"lost", "a3/3 lost2", "quarantined attempt=3 row=lost/lost"},
    {"lost", "a20/20 foreign", "wait attempt=20 due=+0 row=lost/lost"},
    {"lost", "a1/20 cancel", "cancelled attempt=1 row=lost/lost"},
    {"lost", "a20/20 rearmed", "rearm attempt=20 due=+0 row=lost/lost"},
    // a terminal hook threw: not final, and the next pick tries again
    {"hook_failed", "a20/20", "wait attempt=20 due=+1000 row=hook_failed/application"},
    {"hook_failed", "a1/20", "wait attempt=20 due=+1000 row=hook_failed/application"},
    {"hook_failed", "a1/20 hookfail1", "wait attempt=20 due=+16000 row=hook_failed/application"},
    {"hook_failed", "a1/20 cancel", "wait attempt=1 due=+1000 row=hook_failed/application"},
    {"hook_failed", "a1/20 rearmed", "rearm attempt=1 due=+0 row=hook_failed/application"},
};

TEST(Lifecycle, every_event_meets_every_kind_of_job) {
  for (const Line& line : table) {
    EXPECT_EQ(describe(decide_line(line)), line.expected) << line.event << " | " << line.facts;
  }
}

TEST(Lifecycle, every_event_is_in_the_table) {
  for (int i = 0; i <= static_cast<int>(Event::hook_failed); ++i) {
    const std::string name(to_string(static_cast<Event>(i)));
    const bool there = std::any_of(table.begin(), table.end(),
                                   [&](const Line& line) { return line.event == name; });
    EXPECT_TRUE(there) << name;
  }
}

TEST(Lifecycle, a_due_time_stays_within_what_the_table_accepts) {
  EXPECT_EQ(due(now, Duration::max()), run_at_max);
  EXPECT_EQ(due(run_at_max, seconds(1)), run_at_max);
  EXPECT_EQ(due(now, minutes(1)), now + minutes(1));
  EXPECT_EQ(due(now, -2 * Duration(now.time_since_epoch())), Time{});
}

TEST(Lifecycle, a_rearmed_job_is_never_made_final) {
  for (const Line& line : table) {
    const Change change = decide_line({line.event, line.facts + " rearmed", ""});
    const bool starts = line.event == "picked" && change.to == Change::To::start;
    EXPECT_TRUE(starts || change.to == Change::To::rearm) << line.event << " | " << line.facts;
  }
}

TEST(Lifecycle, a_process_without_the_hooks_makes_nothing_final_but_success) {
  for (const Line& line : table) {
    if (line.event == "succeeded") continue;
    const Change change = decide_line({line.event, line.facts + " foreign", ""});
    const bool final = change.to == Change::To::cancelled || change.to == Change::To::quarantined;
    EXPECT_FALSE(final) << line.event << " | " << line.facts;
  }
}

}  // namespace
}  // namespace holdfast::queue
