#include "enumerate.hpp"

#include <chrono>

#include "append_log.hpp"
#include "catalogue.hpp"
#include "walk.hpp"

namespace checksums {

namespace {

std::string now_us() {
  using namespace std::chrono;
  return std::to_string(
      duration_cast<microseconds>(system_clock::now().time_since_epoch()).count());
}

}  // namespace

int enumerate(const Options& options) {
  const Place place = place_of(options);
  const auto catalogue = open_catalogue(place);
  AppendLog acknowledged(place.acknowledged_log());
  long enqueued = 0;
  long beyond = 0;
  long unnameable = 0;
  walk(options.directory, [&](const FoundFile& file) {
    if (enqueued == options.files) {
      ++beyond;
      return;
    }
    try {
      const std::int64_t job = catalogue->add(file);
      acknowledged.append(now_us() + " " + std::to_string(job));
      ++enqueued;
    } catch (const holdfast::Error& error) {
      // A name that is not UTF-8 cannot be a payload. It was refused before anything was written.
      if (error.code() != holdfast::Code::invalid) throw;
      ++unnameable;
    }
  });
  AppendLog(place.left_out_log()).append(std::to_string(beyond) + " " + std::to_string(unnameable));
  return 0;
}

}  // namespace checksums
