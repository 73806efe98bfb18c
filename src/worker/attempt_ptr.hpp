#pragma once

#include <memory>

namespace holdfast::detail {
class Attempt;
}

namespace holdfast::worker {

using AttemptPtr = std::shared_ptr<detail::Attempt>;

}  // namespace holdfast::worker
