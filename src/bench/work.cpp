#include "bench/work.hpp"

#include <atomic>
#include <charconv>
#include <exception>
#include <thread>
#include <vector>

namespace holdfast::bench {

std::string payload(std::int64_t number) {
  constexpr std::size_t length = 100;
  std::string text = R"({"n":)" + std::to_string(number) +
                     R"(,"to":"user@example.com","template":"welcome","padding":")";
  text.append(length - 2 - text.size(), 'x');
  return text + R"("})";
}

std::int64_t number_in(std::string_view payload) {
  constexpr std::string_view before = R"({"n":)";
  std::int64_t number = -1;
  if (payload.starts_with(before)) {
    std::from_chars(payload.data() + before.size(), payload.data() + payload.size(), number);
  }
  return number;
}

NewJob job(std::int64_t number) { return {std::string(job_kind), payload(number), {}}; }

double per_second(std::int64_t jobs, Steady since) {
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - since;
  return static_cast<double>(jobs) / passed.count();
}

double per_second_together(std::size_t threads,
                           const std::function<std::int64_t(std::size_t)>& share) {
  std::vector<std::exception_ptr> faults(threads);
  std::atomic<std::int64_t> done = 0;
  const Steady begin = std::chrono::steady_clock::now();
  {
    std::vector<std::jthread> crew;
    for (std::size_t i = 0; i < threads; ++i) {
      crew.emplace_back([&, i] {
        try {
          done += share(i);
        } catch (...) {
          faults[i] = std::current_exception();
        }
      });
    }
  }
  const double rate = per_second(done, begin);
  for (const auto& fault : faults) {
    if (fault) std::rethrow_exception(fault);
  }
  return rate;
}

double milliseconds_between(Steady begin, Steady end) {
  return std::chrono::duration<double, std::milli>(end - begin).count();
}

}  // namespace holdfast::bench
