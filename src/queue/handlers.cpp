#include "holdfast/handlers.hpp"

#include "holdfast/error.hpp"
#include "queue/check.hpp"

namespace holdfast {

Kind& Kind::on_success(Hook hook) {
  on_success_ = std::move(hook);
  return *this;
}

Kind& Kind::on_quarantine(Hook hook) {
  on_quarantine_ = std::move(hook);
  return *this;
}

Kind& Kind::on_cancel(Hook hook) {
  on_cancel_ = std::move(hook);
  return *this;
}

Kind& Kind::retry(RetryPolicy policy) {
  if (const auto fault = policy.fault()) throw Error(Code::invalid, *fault);
  retry_ = policy;
  return *this;
}

Kind& Kind::timeout(Duration limit) {
  if (limit < std::chrono::milliseconds(1) || limit > std::chrono::days(365)) {
    throw Error(Code::invalid, "the timeout of a kind is 1 ms to a year; leave it out for none");
  }
  timeout_ = limit;
  return *this;
}

bool Kind::has_hooks() const noexcept { return on_success_ || on_quarantine_ || on_cancel_; }

Kind& Handlers::on(std::string kind, Handler handler) {
  queue::check_name("kind", kind);
  if (!handler) throw Error(Code::misuse, "the handler of kind \"" + kind + "\" is empty");
  const auto [place, added] = kinds_.try_emplace(kind, std::move(handler));
  if (!added) throw Error(Code::misuse, "kind \"" + kind + "\" has a handler already");
  return place->second;
}

const Kind* Handlers::find(std::string_view kind) const {
  const auto place = kinds_.find(kind);
  return place == kinds_.end() ? nullptr : &place->second;
}

std::vector<std::string> Handlers::names() const {
  std::vector<std::string> names;
  names.reserve(kinds_.size());
  for (const auto& [name, kind] : kinds_) names.push_back(name);
  return names;
}

}  // namespace holdfast
