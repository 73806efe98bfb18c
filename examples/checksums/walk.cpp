#include "walk.hpp"

#include <filesystem>
#include <system_error>

namespace checksums {

void walk(const std::string& directory, const std::function<void(const FoundFile&)>& found) {
  namespace fs = std::filesystem;
  for (fs::recursive_directory_iterator entry(directory,
                                              fs::directory_options::skip_permission_denied);
       entry != fs::recursive_directory_iterator(); ++entry) {
    // A file may vanish between the listing and the questions about it.
    std::error_code gone;
    if (entry->symlink_status(gone).type() != fs::file_type::regular) continue;
    const auto size_bytes = entry->file_size(gone);
    if (!gone) found({entry->path().string(), static_cast<std::int64_t>(size_bytes)});
  }
}

}  // namespace checksums
