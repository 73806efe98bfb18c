#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <thread>

#include "bench/floor.hpp"
#include "bench/plan.hpp"
#include "bench/sqlite_raw.hpp"
#include "holdfast/error.hpp"

namespace holdfast::bench {

namespace {

/// The event comes when the log is written, the commit is visible once it is synced: this long a
/// look at the data version goes on after an event.
constexpr std::chrono::milliseconds confirm_limit{50};

class SqliteSignalPath : public SignalPath {
 public:
  explicit SqliteSignalPath(const std::string& file)
      : raw_(file), log_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
    raw_.run("create table floor_signals (n integer primary key) strict");
    version_.emplace(raw_, "pragma data_version");
    last_.emplace(raw_, "select coalesce(max(n), -1) from floor_signals");
    seen_ = version();
    if (log_ < 0 || ::inotify_add_watch(log_, (file + "-wal").c_str(), IN_MODIFY) < 0) {
      throw Error(Code::storage, "benchmark: the log of " + file + " cannot be watched");
    }
  }
  ~SqliteSignalPath() override { ::close(log_); }
  SqliteSignalPath(const SqliteSignalPath&) = delete;
  SqliteSignalPath& operator=(const SqliteSignalPath&) = delete;

  std::vector<Steady> receive(const Signals& signals, const stop_token& stop) override {
    std::vector<Steady> arrived(static_cast<std::size_t>(signals.count));
    for (std::size_t next = 0; next < arrived.size();) {
      require_going_on(stop);
      if (!wait_for_event() || !confirmed()) continue;
      const Steady now = std::chrono::steady_clock::now();
      while (last_->step()) {
        for (; static_cast<sqlite3_int64>(next) <= last_->integer(0) && next < arrived.size();) {
          arrived[next++] = now;
        }
      }
    }
    return arrived;
  }

 private:
  [[nodiscard]] bool wait_for_event() const {
    pollfd event{log_, POLLIN, 0};
    if (::poll(&event, 1, 50) <= 0) return false;
    std::array<char, 4096> events{};
    while (::read(log_, events.data(), events.size()) > 0) {
    }
    return true;
  }

  [[nodiscard]] sqlite3_int64 version() {
    sqlite3_int64 answer = 0;
    while (version_->step()) answer = version_->integer(0);
    return answer;
  }

  [[nodiscard]] bool confirmed() {
    const Steady end = std::chrono::steady_clock::now() + confirm_limit;
    do {
      const auto now = version();
      if (now != seen_) {
        seen_ = now;
        return true;
      }
      std::this_thread::yield();
    } while (std::chrono::steady_clock::now() < end);
    return false;
  }

  SqliteRaw raw_;
  int log_;
  std::optional<SqliteRawStatement> version_;
  std::optional<SqliteRawStatement> last_;
  sqlite3_int64 seen_ = 0;
};

}  // namespace

std::unique_ptr<SignalPath> sqlite_signal_path(const std::string& file) {
  return std::make_unique<SqliteSignalPath>(file);
}

std::vector<Steady> send_sqlite_signals(const std::string& file, const Signals& signals) {
  SqliteRaw raw(file);
  SqliteRawStatement insert(raw, "insert into floor_signals values (?1)");
  std::vector<Steady> sent;
  Steady next = std::chrono::steady_clock::now();
  for (int i = 0; i < signals.count; ++i) {
    std::this_thread::sleep_until(next += signals.every);
    insert.bind(1, i);
    insert.step();
    sent.push_back(std::chrono::steady_clock::now());
  }
  return sent;
}

}  // namespace holdfast::bench
