#include "bench/plan.hpp"

#include <algorithm>

namespace holdfast::bench {

std::string_view to_string(Question question) {
  switch (question) {
    case Question::enqueue: return "enqueue";
    case Question::threads: return "threads";
    case Question::life: return "life";
    case Question::claim: return "claim";
    case Question::wake: return "wake";
    case Question::busy: return "busy";
    case Question::beside: return "beside";
  }
  return "unknown";
}

std::optional<Question> question(std::string_view name) {
  const auto* const found = std::find_if(all_questions.begin(), all_questions.end(),
                                         [&](Question known) { return to_string(known) == name; });
  if (found == all_questions.end()) return std::nullopt;
  return *found;
}

void require_going_on(const stop_token& stop) {
  if (stop.stop_requested()) throw Interrupted();
}

}  // namespace holdfast::bench
