#include "db/sqlite_watch.hpp"

#ifdef __linux__

#include <sqlite3.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string>

#include "base/fork.hpp"
#include "db/sqlite_statement.hpp"

namespace holdfast::db {

namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

/// A writer touches the log before its commit can be seen: the frames come first, then a sync that
/// takes 0.1 to 100 ms. So after each event the version is asked for again and again, at first
/// closely, then each time a quarter of the time that has passed since.
constexpr microseconds ask_least{20};
constexpr milliseconds ask_most{50};
constexpr std::chrono::seconds ask_for{2};

constexpr std::uint32_t in_directory = IN_CREATE | IN_MOVED_TO | IN_DELETE | IN_MOVED_FROM;
constexpr std::uint32_t in_log = IN_MODIFY;

/// A descriptor of the watch itself. The database's own files are only ever named, never opened:
/// closing a descriptor of one would drop the locks of every connection in this process.
class Inotify {
 public:
  Inotify() : descriptor_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {}
  ~Inotify() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  Inotify(const Inotify&) = delete;
  Inotify& operator=(const Inotify&) = delete;

  [[nodiscard]] int get() const noexcept { return descriptor_; }
  [[nodiscard]] int add(const std::string& path, std::uint32_t events) const {
    return ::inotify_add_watch(descriptor_, path.c_str(), events);
  }
  void remove(int watch) const { ::inotify_rm_watch(descriptor_, watch); }

 private:
  int descriptor_;
};

/// Events of the log tell that somebody writes; `pragma data_version` on the connection tells when
/// another connection's commit can be seen. The directory is watched as well, because the log is
/// made, replaced and removed by SQLite as connections come and go.
class SqliteWatch final : public Watch {
 public:
  SqliteWatch(::sqlite3* db, const char* log) : db_(db), log_(log) {
    const auto slash = log_.rfind('/');
    directory_ = slash == std::string::npos ? "." : log_.substr(0, std::max<std::size_t>(slash, 1));
    name_ = slash == std::string::npos ? log_ : log_.substr(slash + 1);
    version_ = version();
  }

  ~SqliteWatch() override {
    if (made_in_ != base::fork_generation()) statement_.abandon();
  }
  SqliteWatch(const SqliteWatch&) = delete;
  SqliteWatch& operator=(const SqliteWatch&) = delete;

  [[nodiscard]] bool begin() {
    if (inotify_.get() < 0 || inotify_.add(directory_, in_directory) < 0) return false;
    follow_log();
    // A commit may be under way whose frames are written already.
    asking_ = true;
    event_at_ = steady_clock::now();
    return true;
  }

  [[nodiscard]] int descriptor() const override { return inotify_.get(); }

  [[nodiscard]] Heard listen() override {
    const auto now = steady_clock::now();
    if (take_events()) {
      event_at_ = now;
      asking_ = true;
    }
    if (!asking_) return {};
    const std::int64_t seen = version();
    const auto passed = std::chrono::duration_cast<Duration>(now - event_at_);
    asking_ = passed < ask_for;
    Heard heard;
    heard.news = seen == version_ ? 0 : 1;
    if (asking_) heard.ask_again = std::clamp<Duration>(passed / 4, ask_least, ask_most);
    version_ = seen;
    return heard;
  }

 private:
  /// Whether anything happened to the log.
  [[nodiscard]] bool take_events() {
    alignas(inotify_event) std::array<char, 4096> buffer;  // NOLINT: filled by read()
    bool touched = false;
    ssize_t bytes = 0;
    while ((bytes = ::read(inotify_.get(), buffer.data(), buffer.size())) > 0) {
      const inotify_event* event = nullptr;
      for (const char* at = buffer.data(); at < buffer.data() + bytes;
           at += sizeof(inotify_event) + event->len) {
        event = reinterpret_cast<const inotify_event*>(at);  // NOLINT: so the system hands them out
        touched = touches_log(*event) || touched;
      }
    }
    return touched;
  }

  [[nodiscard]] bool touches_log(const inotify_event& event) {
    if ((event.mask & IN_Q_OVERFLOW) != 0) return true;
    if (event.wd == log_watch_) {
      if ((event.mask & IN_IGNORED) != 0) log_watch_ = -1;
      return true;
    }
    if (event.len == 0 || name_ != event.name) return false;
    follow_log();
    return true;
  }

  /// A log of the same name may be another file now.
  void follow_log() {
    const int watch = inotify_.add(log_, in_log);
    if (watch == log_watch_) return;
    if (log_watch_ >= 0) inotify_.remove(log_watch_);
    log_watch_ = watch;
  }

  [[nodiscard]] std::int64_t version() {
    std::int64_t version = 0;
    statement_.run({}, [&](const Row& row) { version = row.integer(0); });
    return version;
  }

  ::sqlite3* db_;
  const std::uint64_t made_in_ = base::fork_generation();
  const std::string log_;
  std::string directory_;
  std::string name_;
  std::string_view sql_ = "pragma data_version";
  SqliteStatement statement_{db_, sql_, "watch", SqliteStatement::Life::cached};
  Inotify inotify_;
  int log_watch_ = -1;
  std::int64_t version_ = 0;
  bool asking_ = false;
  steady_clock::time_point event_at_{};
};

}  // namespace

std::unique_ptr<Watch> watch_sqlite(::sqlite3* db) {
  const char* file = sqlite3_db_filename(db, "main");
  if (file == nullptr || *file == '\0') return nullptr;
  auto watch = std::make_unique<SqliteWatch>(db, sqlite3_filename_wal(file));
  if (!watch->begin()) return nullptr;
  return watch;
}

}  // namespace holdfast::db

#else

namespace holdfast::db {

std::unique_ptr<Watch> watch_sqlite(::sqlite3* /*db*/) { return nullptr; }

}  // namespace holdfast::db

#endif
