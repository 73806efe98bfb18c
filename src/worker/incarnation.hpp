#pragma once

#include <string>

namespace holdfast::worker {

/// The name of this machine, without control characters, cut to 100 characters.
[[nodiscard]] std::string host_name();

/// A new identity for a worker: `host:pid:random`. Two are never the same, so that no worker takes
/// the leases of an earlier one for its own.
[[nodiscard]] std::string new_incarnation();

}  // namespace holdfast::worker
