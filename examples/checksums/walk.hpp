#pragma once

#include <functional>
#include <string>

#include "catalogue.hpp"

namespace checksums {

/// Calls `found` for each regular file below `directory`, not following links. Directories that
/// may not be read are passed over.
void walk(const std::string& directory, const std::function<void(const FoundFile&)>& found);

}  // namespace checksums
