// Holdfast as one of the programs that bench/peers/compare.mjs measures; the orders are described
// in bench/peers/protocol.mjs. Uses the public interface only, with its default settings.
//
//   holdfast_peer_driver produce|work     PEER_FILE or PEER_POSTGRES says where the queue is

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "holdfast/holdfast.hpp"
#include "holdfast/postgres.hpp"
#include "holdfast/sqlite.hpp"
#include "holdfast/worker.hpp"

namespace {

using Json = nlohmann::json;

double now() {
  return std::chrono::duration<double, std::milli>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void say(const Json& answer) { std::cout << answer.dump() << std::endl; }

std::string setting(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

holdfast::Store opened() {
  const std::string file = setting("PEER_FILE");
  return file.empty() ? holdfast::postgres::open(setting("PEER_POSTGRES"))
                      : holdfast::sqlite::open(file);
}

holdfast::NewJob job(std::int64_t number) {
  Json payload{{"n", number}, {"to", "user@example.com"}, {"template", "welcome"}, {"padding", ""}};
  payload["padding"] = std::string(100 - payload.dump().size(), 'x');
  return {"bench", payload.dump(), {}};
}

Json add_one_by_one(const holdfast::Store& store, const Json& order) {
  const double begin = now();
  std::int64_t done = 0;
  while (done < order["count"] && now() - begin < order["ms"]) {
    static_cast<void>(store.enqueue(job(done++)));
  }
  return {{"rate", static_cast<double>(done) / ((now() - begin) / 1000)}};
}

Json add_many(const holdfast::Store& store, const Json& order) {
  const std::int64_t count = order["count"];
  double spent = 0;
  for (std::int64_t done = 0; done < count;) {
    std::vector<holdfast::NewJob> batch;
    const std::int64_t end = std::min(count, done + order["size"].get<std::int64_t>());
    for (; done < end; ++done) batch.push_back(job(done));
    const double begin = now();
    static_cast<void>(store.enqueue(batch));
    spent += now() - begin;
  }
  return {{"rate", static_cast<double>(count) / (spent / 1000)}};
}

Json remaining(const holdfast::Store& store) {
  using holdfast::JobState;
  // Whether there is one, and of a full queue how many: counting would read the history as well.
  for (const JobState state : {JobState::ready, JobState::running}) {
    if (!store.list({.state = state, .limit = 1}).empty()) {
      const auto queues = store.stats();
      return {{"remaining", queues.front().ready + queues.front().running}};
    }
  }
  return {{"remaining", 0}};
}

Json probe(const holdfast::Store& store, const Json& order) {
  Json returned = Json::array();
  auto due = std::chrono::steady_clock::now();
  for (std::int64_t i = 0; i < order["count"]; ++i) {
    std::this_thread::sleep_until(due += std::chrono::milliseconds(order["every"]));
    static_cast<void>(store.enqueue(job(i)));
    returned.push_back(now());
  }
  return {{"returned", returned}};
}

/// The next line of orders, or nothing at the end.
std::optional<Json> next_order() {
  std::string line;
  if (!std::getline(std::cin, line)) return std::nullopt;
  return Json::parse(line);
}

/// The driver makes the database anew itself, so that a reset is what it says.
void produce() {
  std::optional<holdfast::Store> store;
  while (const auto order = next_order()) {
    const std::string what = (*order)["do"];
    if (what == "reset") {
      store.reset();
      const std::string file = setting("PEER_FILE");
      if (!file.empty()) {
        for (const char* part : {"", "-wal", "-shm"}) std::filesystem::remove(file + part);
      }
      store = opened();
      store->migrate();
      say({{"done", true}});
    } else if (what == "settle_down") {
      say({{"done", true}});
    } else if (what == "one") {
      say(add_one_by_one(*store, *order));
    } else if (what == "many") {
      say(add_many(*store, *order));
    } else if (what == "remaining") {
      say(remaining(*store));
    } else {
      say(probe(*store, *order));
    }
  }
}

/// Notes when the handler of each number was entered.
class Entered {
 public:
  explicit Entered(std::size_t count) : times_(count), left_(count) {}

  holdfast::Outcome note(const std::string& payload) {
    const double at = now();
    const std::size_t number = std::stoul(payload.substr(payload.find("\"n\":") + 4));
    const std::lock_guard lock(mutex_);
    if (times_.at(number) != 0) {
      ++repeated_;
    } else {
      times_[number] = at;
      if (--left_ == 0) say_handled();
    }
    return holdfast::done();
  }

  bool told_times = false;

 private:
  void say_handled() const {
    const Json entered = told_times ? Json(times_) : Json::array();
    say({{"handled", now()}, {"repeated", repeated_}, {"entered", entered}});
  }

  std::mutex mutex_;  // guards all below
  std::vector<double> times_;
  std::size_t left_;
  int repeated_ = 0;
};

void work() {
  const auto order = next_order();
  if (!order) return;
  Entered entered((*order)["count"].get<std::size_t>());
  entered.told_times = order->value("times", false);
  const double begin = now();
  holdfast::Handlers handlers;
  handlers.on("bench", [&](holdfast::Run& run) { return entered.note(run.job().payload); });
  holdfast::Worker worker(opened(), handlers);
  holdfast::stop_source stop;
  const std::jthread serving([&] { worker.run(stop.get_token()); });
  say({{"up", begin}});
  static_cast<void>(next_order());  // the end of stdin ends the worker
  stop.request_stop();
}

}  // namespace

int main(int count, char** arguments) {
  try {
    if (count > 1 && std::string_view(arguments[1]) == "work") {
      work();
    } else {
      produce();
    }
    return 0;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
