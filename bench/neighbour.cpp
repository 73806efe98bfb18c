// An application writes to its own tables once each 10 ms while a worker drains a backlog in the
// same database: what does each notice of the other? On SQLite through Python's sqlite3 and Node's
// better-sqlite3 with their default timeouts, on PostgreSQL through libpq. JOBS: the backlog.

#include <array>
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <sstream>
#include <thread>

#include "answer.hpp"
#include "arena.hpp"
#include "bench/figures.hpp"
#include "bench/postgres_raw.hpp"
#include "bench/questions.hpp"
#include "bench/served.hpp"
#include "writer.hpp"

namespace holdfast::bench {
namespace {

const std::string applications = HOLDFAST_SOURCE_DIR "/bench/applications/";

std::string lsn(PostgresRaw& raw) {
  return PQgetvalue(raw.run("select pg_current_wal_lsn() - '0/0'::pg_lsn").get(), 0, 0);
}

struct Drained {
  double per_second = 0;
  Written written;
  double wal_bytes_each = 0;
};

using MakeWriter = std::function<std::unique_ptr<Writer>(const Address&)>;

Drained drain_beside(Ground& ground, std::int64_t jobs, const MakeWriter& writer_for) {
  const Address address = ground.fresh_queue();
  const Store store = open(address);
  enqueue_by_thousands(store, jobs, {});
  ground.settle_down(store);
  Drained drained;
  const auto writer = writer_for ? writer_for(address) : nullptr;
  const bool counts_wal = address.dialect == Dialect::postgres && !writer;
  const auto raw = counts_wal ? std::make_unique<PostgresRaw>(address.target) : nullptr;
  const double before = raw ? std::stod(lsn(*raw)) : 0;
  drained.per_second = static_cast<double>(jobs) / seconds_to_drain(store, jobs, {});
  if (raw) drained.wal_bytes_each = (std::stod(lsn(*raw)) - before) / static_cast<double>(jobs);
  if (writer) drained.written = writer->finish();
  return drained;
}

/// The application with nothing beside it.
Written alone(Ground& ground, const MakeWriter& writer_for) {
  const auto writer = writer_for(ground.fresh_queue());
  std::this_thread::sleep_for(std::chrono::seconds(3));
  return writer->finish();
}

void ask_beside(Ground& ground, const std::string& name, const std::string& key, double lone,
                const MakeWriter& writer_for, Answer& answer) {
  const Written quiet = alone(ground, writer_for);
  const Drained beside = drain_beside(ground, answer.jobs(), writer_for);
  const std::string what = name + ", application beside a drain, ";
  answer.add({key + "_write_errors",
              what + "errors of " + std::to_string(beside.written.writes) + " writes",
              static_cast<double>(beside.written.errors),
              "",
              {}});
  answer.add({key + "_write_p50_ms", what + "write p50 (against alone)", beside.written.p50, "ms",
              quiet.p50});
  answer.add({key + "_write_p99_ms", what + "write p99 (against alone)", beside.written.p99, "ms",
              quiet.p99});
  answer.add({key + "_write_max_ms", what + "write max (against alone)", beside.written.max, "ms",
              quiet.max});
  answer.add(
      {key + "_drain_per_s", what + "the drain (against alone)", beside.per_second, "/s", lone});
}

void ask_sqlite(Ground& ground, Answer& answer) {
  const double lone = drain_beside(ground, answer.jobs(), {}).per_second;
  ask_beside(
      ground, "SQLite and Python", "sqlite_python", lone,
      [](const Address& address) {
        return program_writer("python3 " + applications + "writer.py", address.target);
      },
      answer);
  if (!std::filesystem::exists(HOLDFAST_SOURCE_DIR "/tests/clients/node_modules/better-sqlite3")) {
    std::fprintf(stderr, "better-sqlite3 is not there (scripts/setup.sh --with-clients)\n");
    return;
  }
  ask_beside(
      ground, "SQLite and Node", "sqlite_node", lone,
      [](const Address& address) {
        return program_writer("env PATH=\"" HOLDFAST_SOURCE_DIR
                              "/tests/clients/runtime/bin:$PATH\" node " +
                                  applications + "writer.mjs",
                              address.target);
      },
      answer);
}

void ask_postgres(Ground& ground, Answer& answer) {
  const Drained lone = drain_beside(ground, answer.jobs(), {});
  ask_beside(
      ground, "PostgreSQL and libpq", "postgres_libpq", lone.per_second,
      [](const Address& address) { return postgres_writer(address); }, answer);
  answer.add({"postgres_wal_bytes_per_job",
              "PostgreSQL, write-ahead log of a claimed and settled job",
              lone.wal_bytes_each,
              "B",
              {}});
}

}  // namespace
}  // namespace holdfast::bench

int main(int count, char** arguments) {
  using namespace holdfast::bench;
  Answer answer(count, arguments, 100'000);
  const int status = run_program([&] {
    Arena arena;
    ask_sqlite(arena.sqlite(), answer);
    ask_postgres(arena.postgres(), answer);
  });
  answer.print();
  return status;
}
