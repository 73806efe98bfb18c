#include "bench/producer.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <sstream>
#include <thread>

#include "bench/plan.hpp"
#include "holdfast/error.hpp"

namespace holdfast::bench {

namespace {

/// Orders and answers are one message each, and far shorter than this.
constexpr std::size_t message_bytes_max = 64 * 1024;
constexpr int count_max = 3000;

enum class Send { jobs, signals, writes, end };

struct Order {
  Send what = Send::jobs;
  Address address = {};
  Signals signals = {};
};

/// Fields on lines of their own; a database's name has no line feed.
std::string written(const Order& order) {
  std::ostringstream text;
  text << static_cast<int>(order.what) << '\n'
       << static_cast<int>(order.address.dialect) << '\n'
       << order.address.target << '\n'
       << order.address.schema << '\n'
       << order.signals.count << '\n'
       << order.signals.every.count() << '\n';
  return text.str();
}

Order read_order(const std::string& text) {
  std::istringstream lines(text);
  const auto line = [&] {
    std::string content;
    std::getline(lines, content);
    return content;
  };
  Order order;
  order.what = static_cast<Send>(std::stoi(line()));
  order.address.dialect = static_cast<Dialect>(std::stoi(line()));
  order.address.target = line();
  order.address.schema = line();
  order.signals.count = std::stoi(line());
  order.signals.every = std::chrono::microseconds(std::stoll(line()));
  return order;
}

std::vector<Steady> send_jobs(const Order& order) {
  const Store store = open(order.address);
  static_cast<void>(store.versions());  // connected before the first of them
  std::vector<Steady> sent;
  Steady next = std::chrono::steady_clock::now();
  for (int i = 0; i < order.signals.count; ++i) {
    std::this_thread::sleep_until(next += order.signals.every);
    static_cast<void>(store.enqueue(job(i)));
    sent.push_back(std::chrono::steady_clock::now());
  }
  return sent;
}

/// Another order has come, which can only be the one to end.
bool told_to_end(int line) {
  pollfd event{line, POLLIN, 0};
  return ::poll(&event, 1, 0) != 0;
}

std::vector<Steady> write_until_told(const Order& order, int line) {
  const auto application = application_at(order.address);
  std::vector<Steady> times;
  Steady due = std::chrono::steady_clock::now();
  for (int i = 0; i < order.signals.count && !told_to_end(line); ++i) {
    std::this_thread::sleep_until(due += order.signals.every);
    const Steady begin = std::chrono::steady_clock::now();
    due = std::max(due, begin);
    const bool written = application->write();
    times.push_back(begin);
    times.push_back(written ? std::chrono::steady_clock::now() : begin);
  }
  return times;
}

std::vector<Steady> carried_out(const Order& order, int line) {
  switch (order.what) {
    case Send::jobs: return send_jobs(order);
    case Send::signals: return send_signals(order.address, order.signals);
    case Send::writes: return write_until_told(order, line);
    case Send::end: break;
  }
  return {};
}

/// Times that both processes share: those of the machine's steady clock.
std::string answer_to(const Order& order, int line) {
  try {
    const auto sent = carried_out(order, line);
    std::string text = "sent";
    for (const Steady time : sent) text += ' ' + std::to_string(time.time_since_epoch().count());
    return text;
  } catch (const std::exception& error) {
    return std::string("error ") + error.what();
  }
}

/// The life of the other process: one order after the other, until the line is closed.
[[noreturn]] void serve(int line) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_IGN);
  std::array<char, message_bytes_max> order{};
  while (true) {
    const ssize_t length = ::recv(line, order.data(), order.size(), 0);
    if (length < 0 && errno == EINTR) continue;
    if (length <= 0) ::_exit(0);
    const Order given = read_order({order.data(), static_cast<std::size_t>(length)});
    if (given.what == Send::end) continue;
    const auto answer = answer_to(given, line);
    if (::send(line, answer.data(), answer.size(), MSG_NOSIGNAL) < 0) ::_exit(1);
  }
}

void tell(int line, const Order& order) {
  if (order.signals.count > count_max) throw Error(Code::misuse, "benchmark: too many signals");
  const std::string text = written(order);
  if (::send(line, text.data(), text.size(), MSG_NOSIGNAL) < 0) {
    throw Error(Code::storage, "benchmark: the enqueueing process is gone");
  }
}

std::vector<Steady> times_in(const std::string& answer) {
  constexpr std::string_view good = "sent";
  if (!answer.starts_with(good)) throw Error(Code::storage, "benchmark: " + answer);
  std::istringstream numbers(answer.substr(good.size()));
  std::vector<Steady> times;
  for (Steady::rep count = 0; numbers >> count;) times.emplace_back(Steady::duration(count));
  return times;
}

}  // namespace

Producer::Producer() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw Error(Code::storage, "benchmark: no process can be started");
  }
  process_ = ::fork();
  if (process_ == 0) {
    ::close(ends[0]);
    serve(ends[1]);
  }
  ::close(ends[1]);
  line_ = ends[0];
  if (process_ < 0) {
    ::close(line_);
    throw Error(Code::storage, "benchmark: no process can be started");
  }
}

Producer::~Producer() {
  // It has nothing to save; what it was doing is thrown away by whoever takes this down.
  ::kill(process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
  ::close(line_);
}

void Producer::start_jobs(const Address& address, const Signals& signals) {
  tell(line_, {Send::jobs, address, signals});
}

void Producer::start_signals(const Address& address, const Signals& signals) {
  tell(line_, {Send::signals, address, signals});
}

void Producer::start_writes(const Address& address, const Signals& signals) {
  tell(line_, {Send::writes, address, signals});
}

void Producer::end_writes() { tell(line_, {Send::end, {}, {}}); }

std::vector<Steady> Producer::finish(const stop_token& stop) {
  pollfd event{line_, POLLIN, 0};
  while (::poll(&event, 1, 50) <= 0) require_going_on(stop);
  std::string answer(message_bytes_max, '\0');
  const ssize_t length = ::recv(line_, answer.data(), answer.size(), 0);
  if (length <= 0) throw Error(Code::storage, "benchmark: the enqueueing process is gone");
  answer.resize(static_cast<std::size_t>(length));
  return times_in(answer);
}

}  // namespace holdfast::bench
