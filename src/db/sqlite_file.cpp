#include "db/sqlite_file.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "base/fork.hpp"
#include "base/random.hpp"
#include "holdfast/error.hpp"

namespace holdfast::db {

namespace {

constexpr std::string_view memory_name = ":memory:";

/// SQLite's own VFS for memory shares a database by name; `:memory:` would give every connection
/// another one.
std::string memory_location() { return "file:/holdfast-" + base::random_id() + "?vfs=memdb"; }

std::string file_location(const std::string& path) {
  if (path.empty()) throw Error(Code::invalid, "the path of a database must not be empty");
  if (path.find('\0') != std::string::npos) {
    throw Error(Code::invalid, "the path of a database must not contain a zero byte");
  }
  if (path.starts_with("file:")) {
    throw Error(Code::invalid, "give the database as a plain path, not as a URI: " + path);
  }
  return std::filesystem::absolute(path).string();
}

/// Payloads are private, so a new file is readable by its owner only; SQLite gives -wal and -shm
/// the same mode. mknod makes the file without opening it: closing any descriptor of a database
/// would drop the locks of every connection that this process has to it.
void make_private(const std::string& path) {
  if (::mknod(path.c_str(), S_IFREG | S_IRUSR | S_IWUSR, 0) == 0 || errno == EEXIST) return;
  throw Error(Code::storage, "cannot make " + path + ": " + std::generic_category().message(errno));
}

}  // namespace

SqliteFile::SqliteFile(const std::string& path, Durability wanted, const Clock& time,
                       std::chrono::milliseconds limit)
    : name(path),
      in_memory(path == memory_name),
      location(in_memory ? memory_location() : file_location(path)),
      durability(wanted),
      clock(time),
      busy_limit(limit),
      made_in(base::fork_generation()) {
  if (in_memory) {
    anchor = SqliteHandle(*this, SqliteHandle::Open::create);
  } else {
    make_private(location);
  }
}

void SqliteFile::require_same_process() const {
  if (made_in == base::fork_generation()) return;
  throw Error(Code::forked, name + " was opened before fork(): open it after fork() only");
}

}  // namespace holdfast::db
