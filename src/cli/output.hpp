#pragma once

#include <string_view>

#include <nlohmann/json.hpp>

namespace holdfast::cli {

/// Keeps the order in which fields are put in, so that output reads the same every time.
using Json = nlohmann::ordered_json;

/// On one line. Text that is not UTF-8 appears with U+FFFD in its place.
[[nodiscard]] std::string dump(const Json& json);

/// To stdout, with a line feed. Throws Error(storage) when it cannot be written.
void print_line(std::string_view text);
void print_json(const Json& json);

/// Everything printed has arrived. Throws Error(storage) when it has not (a full disk).
void flush_output();

/// One sentence to stderr: `holdfast: text`, or an object {"error", "message"}.
void print_error(bool json, std::string_view error, std::string_view text);

}  // namespace holdfast::cli
