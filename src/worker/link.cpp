#include "worker/link.hpp"

#include <algorithm>

#include "base/random.hpp"
#include "worker/context.hpp"

namespace holdfast::worker {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds pause_first{50};
constexpr std::chrono::minutes report_interval{1};

Duration jittered(Duration pause) {
  return std::chrono::duration_cast<Duration>(pause * (0.75 + 0.5 * base::random_unit()));
}

bool is_hopeless(Code code) { return code == Code::schema || code == Code::corrupt; }

/// A full disk is looked at once a second; more would only keep it busy.
Duration pause_least(Code code) {
  const bool full = code == Code::storage_full || code == Code::read_only;
  return full ? Duration(std::chrono::seconds(1)) : Duration(pause_first);
}

}  // namespace

bool concerns_database(Code code) {
  switch (code) {
    case Code::constraint:
    case Code::invalid:
    case Code::storage:
    case Code::misuse:
    case Code::internal: return false;
    default: return true;
  }
}

Link::Link(Context& context, db::Lane lane, std::string user, Duration pause_max)
    : context_(context), lane_(lane), user_(std::move(user)), pause_max_(pause_max) {}

db::Connection* Link::ready() {
  if (steady_now() < retry_at_) return nullptr;
  try {
    if (!connection_) {
      connection_ = context_.store->database().connect(lane_);
      ++openings_;
    }
    if (connection_->broken()) {
      connection_->reconnect();
      ++openings_;
    }
    return connection_.get();
  } catch (const Error& error) {
    failed(error);
    return nullptr;
  }
}

void Link::failed(const Error& error) {
  if (is_hopeless(error.code())) context_.fail(std::make_exception_ptr(error));
  report(error);
  pause_ = std::clamp(std::max(pause_ * 2, pause_least(error.code())), Duration(pause_first),
                      std::max(pause_max_, pause_least(error.code())));
  retry_at_ = steady_now() + jittered(pause_);
}

void Link::worked() {
  if (trouble_) context_.log.info(user_ + ": the database works again");
  trouble_.reset();
  pause_ = Duration::zero();
  retry_at_ = {};
}

void Link::report(const Error& error) {
  const Steady now = steady_now();
  if (trouble_ == error.code() && now < reported_ + report_interval) return;
  trouble_ = error.code();
  reported_ = now;
  context_.log.error(user_ + ": " + std::string(to_string(error.code())) + ": " + error.what() +
                     (is_hopeless(error.code()) ? "; the worker ends" : "; trying again"));
}

}  // namespace holdfast::worker
