#include "queue/hooks.hpp"

namespace holdfast::queue {

namespace {

const Hook* usable(const Hook& hook) { return hook ? &hook : nullptr; }

}  // namespace

const Hook* Hooks::on_success(std::string_view kind) const {
  const Kind* known = handlers_ == nullptr ? nullptr : handlers_->find(kind);
  return known == nullptr ? nullptr : usable(known->success_hook());
}

const Hook* Hooks::on_cancel(std::string_view kind) const {
  const Kind* known = handlers_ == nullptr ? nullptr : handlers_->find(kind);
  return known == nullptr ? nullptr : usable(known->cancel_hook());
}

const Hook* Hooks::on_quarantine(std::string_view kind) const {
  const Kind* known = handlers_ == nullptr ? nullptr : handlers_->find(kind);
  return known == nullptr ? nullptr : usable(known->quarantine_hook());
}

bool Hooks::has(std::string_view kind) const {
  const Kind* known = handlers_ == nullptr ? nullptr : handlers_->find(kind);
  return known != nullptr && known->has_hooks();
}

}  // namespace holdfast::queue
