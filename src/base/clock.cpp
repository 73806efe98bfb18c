#include "holdfast/clock.hpp"

namespace holdfast {

namespace {

class SystemClock final : public Clock {
 public:
  [[nodiscard]] Time now() const override {
    return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
  }
  [[nodiscard]] std::chrono::steady_clock::time_point steady() const override {
    return std::chrono::steady_clock::now();
  }
};

}  // namespace

const Clock& system_clock() {
  static const SystemClock clock;
  return clock;
}

}  // namespace holdfast
