#include "db/sqlite_wal_index.hpp"

#include <sqlite3.h>

#include <atomic>

namespace holdfast::db {

namespace {

/// The only version of the format so far.
constexpr std::uint32_t format = 3'007'000;

/// SQLite maps the index in pieces of this size.
constexpr int piece = 32'768;

/// 32-bit words of the header, in the byte order of the machine.
constexpr std::size_t format_word = 0;
constexpr std::size_t change_word = 2;

/// Another process may write it at the same moment.
std::uint32_t read(std::uint32_t* words, std::size_t index) noexcept {
  return std::atomic_ref(words[index]).load(std::memory_order_relaxed);
}

}  // namespace

std::optional<std::uint32_t> commits_counted(::sqlite3* db) noexcept {
  ::sqlite3_file* file = nullptr;
  sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file);
  if (file == nullptr || file->pMethods == nullptr || file->pMethods->iVersion < 2 ||
      file->pMethods->xShmMap == nullptr) {
    return std::nullopt;
  }
  void volatile* mapped = nullptr;
  if (file->pMethods->xShmMap(file, 0, piece, 0, &mapped) != SQLITE_OK || mapped == nullptr) {
    return std::nullopt;
  }
  auto* words = static_cast<std::uint32_t*>(const_cast<void*>(mapped));
  if (read(words, format_word) != format) return std::nullopt;
  return read(words, change_word);
}

}  // namespace holdfast::db
