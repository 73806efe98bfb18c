#include <sqlite3.h>

#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "floors/floor.hpp"

namespace holdfast::bench {

namespace {

using Steady = std::chrono::steady_clock;

double per_second(int jobs, Steady::time_point since) {
  return jobs / std::chrono::duration<double>(Steady::now() - since).count();
}

class Raw {
 public:
  explicit Raw(const std::string& file) {
    if (sqlite3_open(file.c_str(), &db_) != SQLITE_OK) throw std::runtime_error("floor: open");
    run("pragma journal_mode = wal");
    run("pragma synchronous = full");
    run("pragma temp_store = memory");
    run("create table jobs (id integer primary key autoincrement, queue text not null,"
        " kind text not null, payload text not null, priority int not null, run_at int not null,"
        " attempt int not null default 0, fence int not null default 0, claim_id int) strict");
    run("create index hot on jobs (queue, priority, run_at)");
    run("create table history (id integer primary key, queue text, kind text, payload text,"
        " priority int, run_at int, attempt int, fence int, finished_at int) strict");
  }
  ~Raw() { sqlite3_close_v2(db_); }

  void run(const char* sql) {
    if (sqlite3_exec(db_, sql, nullptr, nullptr, nullptr) != SQLITE_OK) {
      throw std::runtime_error(sqlite3_errmsg(db_));
    }
  }
  sqlite3_stmt* prepare(const char* sql) {
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(db_, sql, -1, &statement, nullptr) != SQLITE_OK) {
      throw std::runtime_error(sqlite3_errmsg(db_));
    }
    return statement;
  }
  void step(sqlite3_stmt* statement) {
    if (sqlite3_step(statement) != SQLITE_DONE) throw std::runtime_error(sqlite3_errmsg(db_));
    sqlite3_reset(statement);
  }

 private:
  sqlite3* db_ = nullptr;
};

}  // namespace

Figures sqlite_floor(const std::string& file, const Work& work) {
  Figures figures;
  Raw raw(file);
  sqlite3_stmt* insert = raw.prepare(
      "insert into jobs (queue, kind, payload, priority, run_at)"
      " values ('default', 'bench', '{\"order\": 1234567, \"to\": \"user@example.com\"}', 5, 1)");
  auto begin = Steady::now();
  for (int i = 0; i < work.one; ++i) raw.step(insert);
  figures.enqueue_one = per_second(work.one, begin);

  begin = Steady::now();
  for (int i = 0; i < work.many; i += 1000) {
    raw.run("begin immediate");
    for (int k = 0; k < 1000; ++k) raw.step(insert);
    raw.run("commit");
  }
  figures.enqueue_batch = per_second(work.many, begin);

  sqlite3_stmt* pick = raw.prepare(
      "select id, payload from jobs where queue = 'default' and priority = 5 and run_at <= 2"
      " and claim_id is null order by run_at, id limit ?1");
  sqlite3_stmt* take = raw.prepare(
      "update jobs set attempt = attempt + 1, fence = fence + 1, claim_id = 1 where id = ?1");
  sqlite3_stmt* keep = raw.prepare(
      "insert into history select id, queue, kind, payload, priority, run_at, attempt, fence, 3"
      " from jobs where id = ?1 and claim_id = 1");
  sqlite3_stmt* drop = raw.prepare("delete from jobs where id = ?1 and claim_id = 1");
  std::vector<std::int64_t> held;
  int settled = 0;
  begin = Steady::now();
  while (true) {
    raw.run("begin immediate");
    for (const auto id : held) {
      for (sqlite3_stmt* statement : {keep, drop}) {
        sqlite3_bind_int64(statement, 1, id);
        raw.step(statement);
      }
    }
    settled += static_cast<int>(held.size());
    held.clear();
    sqlite3_bind_int(pick, 1, work.batch);
    while (sqlite3_step(pick) == SQLITE_ROW) held.push_back(sqlite3_column_int64(pick, 0));
    sqlite3_reset(pick);
    for (const auto id : held) {
      sqlite3_bind_int64(take, 1, id);
      raw.step(take);
    }
    raw.run("commit");
    if (held.empty()) break;
  }
  figures.claim_settle = per_second(settled, begin);
  for (sqlite3_stmt* statement : {insert, pick, take, keep, drop}) sqlite3_finalize(statement);
  return figures;
}

}  // namespace holdfast::bench
