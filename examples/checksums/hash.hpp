#pragma once

#include <string>

namespace checksums {

/// The SHA-256 of a file's bytes, in hexadecimal. Throws std::system_error naming the file when it
/// cannot be opened or read to its end.
[[nodiscard]] std::string hash_file(const std::string& path);

}  // namespace checksums
