#pragma once

#include <array>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "holdfast/stop_token.hpp"

namespace holdfast::bench {

/// What can be asked. Each is answered beside its raw floor, in the same run.
enum class Question {
  enqueue,  ///< one job a transaction, one thread
  threads,  ///< one job a call from 16 and 64 threads, and from 16 clients
  life,     ///< jobs added by 1,000, then drained by one worker with its default settings
  claim,    ///< claims and settles below the worker, 1, 32, 128 and 500 a transaction
  wake,     ///< from a commit in another process to the start of the handler, nothing else to do
  busy,     ///< the same while other jobs come and are done
  beside,   ///< an application that writes to its own table while a worker drains, and the drain
};
inline constexpr std::array all_questions{Question::enqueue, Question::threads, Question::life,
                                          Question::claim,   Question::wake,    Question::busy,
                                          Question::beside};
[[nodiscard]] std::string_view to_string(Question question);
[[nodiscard]] std::optional<Question> question(std::string_view name);

/// What is measured, and how long it takes.
struct Plan {
  std::int64_t jobs = 100'000;  ///< for the fast questions; the slow ones take fewer
  int runs = 3;                 ///< answers are medians of so many
  std::vector<Question> questions{all_questions.begin(), all_questions.end()};
  stop_token stop = {};                                 ///< ends everything with Interrupted
  std::function<void(std::string_view)> progress = {};  ///< told what begins
};

/// The plan was stopped. Everything that was made is removed while this flies.
class Interrupted : public std::exception {
 public:
  [[nodiscard]] const char* what() const noexcept override { return "interrupted"; }
};

void require_going_on(const stop_token& stop);

}  // namespace holdfast::bench
