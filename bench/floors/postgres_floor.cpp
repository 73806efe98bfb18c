#include <libpq-fe.h>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>

#include "floors/floor.hpp"

namespace holdfast::bench {

namespace {

using Steady = std::chrono::steady_clock;
using Result = std::unique_ptr<PGresult, decltype(&PQclear)>;

double per_second(int jobs, Steady::time_point since) {
  return jobs / std::chrono::duration<double>(Steady::now() - since).count();
}

class Raw {
 public:
  explicit Raw(const std::string& conninfo) : db_(PQconnectdb(conninfo.c_str()), &PQfinish) {
    run("create table floor_jobs (id bigint generated always as identity primary key,"
        " queue text not null, kind text not null, payload text not null, priority int not null,"
        " run_at bigint not null, attempt int not null default 0, fence bigint not null default 0,"
        " claim_id bigint) with (fillfactor = 45)");
    run("create index on floor_jobs (queue, priority, run_at, id)");
    run("create table floor_history (id bigint primary key, queue text, kind text, payload text,"
        " priority int, run_at bigint, attempt int, fence bigint, finished_at bigint)");
  }

  Result run(const char* sql) {
    Result result(PQexec(db_.get(), sql), &PQclear);
    const auto status = PQresultStatus(result.get());
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) {
      throw std::runtime_error(PQerrorMessage(db_.get()));
    }
    return result;
  }

 private:
  std::unique_ptr<PGconn, decltype(&PQfinish)> db_;
};

}  // namespace

Figures postgres_floor(const std::string& conninfo, const Work& work) {
  Figures figures;
  Raw raw(conninfo);
  const char* const one =
      "insert into floor_jobs (queue, kind, payload, priority, run_at)"
      " values ('default', 'bench', '{\"order\": 1234567, \"to\": \"user@example.com\"}', 5, 1)";
  auto begin = Steady::now();
  for (int i = 0; i < work.one; ++i) raw.run(one);
  figures.enqueue_one = per_second(work.one, begin);

  begin = Steady::now();
  for (int i = 0; i < work.many; i += 1000) {
    raw.run(
        "insert into floor_jobs (queue, kind, payload, priority, run_at)"
        " select 'default', 'bench', '{\"order\": 1234567, \"to\": \"user@example.com\"}', 5, 1"
        " from generate_series(1, 1000)");
  }
  figures.enqueue_batch = per_second(work.many, begin);
  raw.run("vacuum analyze floor_jobs");

  // A round settles what the last one took and takes the next, in one statement each.
  const std::string take =
      "with picked as (select id from floor_jobs where queue = 'default' and priority = 5"
      " and run_at <= 2 and claim_id is null order by run_at, id limit " +
      std::to_string(work.batch) +
      " for update skip locked) update floor_jobs j set attempt = attempt + 1, fence = fence + 1,"
      " claim_id = 1 from picked where j.id = picked.id returning j.id, j.payload";
  const char* const keep =
      "with gone as (delete from floor_jobs where claim_id = 1 and id = any($1::bigint[])"
      " returning *) insert into floor_history select id, queue, kind, payload, priority, run_at,"
      " attempt, fence, 3 from gone";
  int settled = 0;
  std::string held;
  begin = Steady::now();
  while (true) {
    raw.run("begin");
    if (!held.empty()) {
      std::string settle(keep);
      settle.replace(settle.find("$1"), 2, "'{" + held + "}'");
      raw.run(settle.c_str());
    }
    const Result rows = raw.run(take.c_str());
    held.clear();
    for (int i = 0; i < PQntuples(rows.get()); ++i) {
      if (i > 0) held += ',';
      held += PQgetvalue(rows.get(), i, 0);
    }
    settled += PQntuples(rows.get());
    raw.run("commit");
    if (held.empty()) break;
  }
  figures.claim_settle = per_second(settled, begin);
  return figures;
}

}  // namespace holdfast::bench
