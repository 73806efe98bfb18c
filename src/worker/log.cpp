#include "worker/log.hpp"

namespace holdfast::worker {

void Log::write(LogLevel level, std::string_view text) noexcept {
  if (!sink_) return;
  try {
    const std::lock_guard lock(mutex_);
    sink_(level, text);
  } catch (...) {  // there is nowhere to report it to
  }
}

}  // namespace holdfast::worker
