#pragma once

#include <stop_token>

namespace holdfast {

/// The standard's, named here so that code can say holdfast::stop_token wherever it builds.
using stop_token = std::stop_token;
using stop_source = std::stop_source;

}  // namespace holdfast
