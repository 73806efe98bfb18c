#include <poll.h>

#include <charconv>
#include <cstring>
#include <thread>

#include "bench/floor.hpp"
#include "bench/plan.hpp"
#include "bench/postgres_raw.hpp"
#include "holdfast/error.hpp"

namespace holdfast::bench {

namespace {

class PostgresSignalPath : public SignalPath {
 public:
  PostgresSignalPath(const std::string& conninfo, const std::string& channel) : raw_(conninfo) {
    raw_.run(("listen \"" + channel + "\"").c_str());
  }

  std::vector<Steady> receive(const Signals& signals, const stop_token& stop) override {
    std::vector<Steady> arrived(static_cast<std::size_t>(signals.count));
    std::size_t received = 0;
    while (received < arrived.size()) {
      require_going_on(stop);
      pollfd event{PQsocket(raw_.handle()), POLLIN, 0};
      if (::poll(&event, 1, 50) <= 0) continue;
      if (PQconsumeInput(raw_.handle()) != 1) {
        throw Error(Code::disconnected, std::string("benchmark: ") + PQerrorMessage(raw_.handle()));
      }
      const Steady now = std::chrono::steady_clock::now();
      while (::PGnotify* const notify = PQnotifies(raw_.handle())) {
        std::size_t number = arrived.size();
        std::from_chars(notify->extra, notify->extra + std::strlen(notify->extra), number);
        PQfreemem(notify);
        if (number < arrived.size()) arrived[number] = now;
        ++received;
      }
    }
    return arrived;
  }

 private:
  PostgresRaw raw_;
};

}  // namespace

std::unique_ptr<SignalPath> postgres_signal_path(const std::string& conninfo,
                                                 const std::string& channel) {
  return std::make_unique<PostgresSignalPath>(conninfo, channel);
}

std::vector<Steady> send_postgres_signals(const std::string& conninfo, const std::string& channel,
                                          const Signals& signals) {
  PostgresRaw raw(conninfo);
  raw.prepare("notify", "select pg_notify($1::text, $2::text)");
  std::vector<Steady> sent;
  Steady next = std::chrono::steady_clock::now();
  for (int i = 0; i < signals.count; ++i) {
    std::this_thread::sleep_until(next += signals.every);
    const std::string number = std::to_string(i);
    sent.push_back(std::chrono::steady_clock::now());
    raw.execute("notify", {channel.c_str(), number.c_str()});
  }
  return sent;
}

}  // namespace holdfast::bench
