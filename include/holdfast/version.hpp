#pragma once

#include <string_view>

namespace holdfast {

/// Version of the program, MAJOR.MINOR.PATCH.
inline constexpr std::string_view version = "0.1.0";

/// Version of the tables that this program writes (see docs/schema.md).
inline constexpr int schema_version = 1;

}  // namespace holdfast
