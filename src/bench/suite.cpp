#include "bench/suite.hpp"

#include <algorithm>
#include <string>

#include "bench/questions.hpp"

namespace holdfast::bench {

namespace {

void ask(Question question, const Turn& turn) {
  switch (question) {
    case Question::enqueue: return ask_enqueue(turn);
    case Question::threads: return ask_threads(turn);
    case Question::life: return ask_life(turn);
    case Question::claim: return ask_claim(turn);
    case Question::wake: return ask_wake(turn);
    case Question::busy: return ask_busy(turn);
    case Question::beside: return ask_beside(turn);
  }
}

std::string_view name_of(Dialect dialect) {
  return dialect == Dialect::sqlite ? "SQLite" : "PostgreSQL";
}

}  // namespace

std::int64_t Turn::jobs(std::int64_t most) const { return std::min(plan.jobs, most); }

std::vector<Figure> measure(Ground& ground, Producer& producer, const Plan& plan) {
  Runs answers;
  for (int run = 1; run <= plan.runs; ++run) {
    for (const Question question : plan.questions) {
      require_going_on(plan.stop);
      if (plan.progress) {
        plan.progress(std::string(name_of(ground.dialect())) + ", run " + std::to_string(run) +
                      " of " + std::to_string(plan.runs) + ": " + std::string(to_string(question)));
      }
      ask(question, {ground, producer, plan, answers});
    }
  }
  return answers.medians();
}

}  // namespace holdfast::bench
