#pragma once

#include <string>
#include <string_view>

namespace checksums {

/// The job: hash one file. Its payload is the path.
struct HashFile {
  static constexpr std::string_view kind = "hash_file";

  std::string path;

  [[nodiscard]] std::string encode() const { return path; }
  [[nodiscard]] static HashFile decode(std::string_view payload) {
    return HashFile{std::string(payload)};
  }
};

}  // namespace checksums
