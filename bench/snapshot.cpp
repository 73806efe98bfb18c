// Does an old snapshot that somebody holds slow a worker down? JOBS: how many are done meanwhile.

#include "answer.hpp"
#include "arena.hpp"
#include "bench/postgres_raw.hpp"
#include "bench/questions.hpp"
#include "bench/served.hpp"
#include "bench/sqlite_raw.hpp"

namespace holdfast::bench {
namespace {

double drain_rate(Ground& ground, std::int64_t jobs, bool held) {
  const Address address = ground.fresh_queue();
  const Store store = open(address);
  enqueue_by_thousands(store, jobs, {});
  ground.settle_down(store);
  std::unique_ptr<PostgresRaw> postgres;
  std::unique_ptr<SqliteRaw> sqlite;
  if (held && address.dialect == Dialect::postgres) {
    postgres = std::make_unique<PostgresRaw>(address.target);
    postgres->run("begin isolation level repeatable read");
    postgres->run("select count(*) from pg_class");
  } else if (held) {
    sqlite = std::make_unique<SqliteRaw>(address.target);
    sqlite->run("begin");
    sqlite->run("select count(*) from sqlite_master");
  }
  return static_cast<double>(jobs) / seconds_to_drain(store, jobs, {});
}

void ask_on(Ground& ground, const std::string& name, const std::string& key, Answer& answer) {
  const double without = drain_rate(ground, answer.jobs(), false);
  const double with = drain_rate(ground, answer.jobs(), true);
  answer.add({key + "_snapshot_held_per_s",
              name + ", claim+settle of " + std::to_string(answer.jobs()) +
                  " jobs with a snapshot held (against none)",
              with, "/s", without});
}

}  // namespace
}  // namespace holdfast::bench

int main(int count, char** arguments) {
  using namespace holdfast::bench;
  Answer answer(count, arguments, 100'000);
  return ask_both(answer, ask_on);
}
