#include <algorithm>
#include <array>
#include <vector>

#include "bench/floor.hpp"
#include "bench/plan.hpp"
#include "bench/postgres_raw.hpp"

namespace holdfast::bench {

namespace {

constexpr std::array floor_tables{
    "create table floor_jobs (id bigint generated always as identity primary key,"
    " queue text not null, kind text not null, payload text not null, priority int not null,"
    " run_at bigint not null, enqueued_at bigint not null, attempt int not null default 0,"
    " fence bigint not null default 0, claim_id bigint) with (fillfactor = 45)",
    "create index on floor_jobs (queue, priority, run_at, id)",
    "create table floor_claims (id bigint generated always as identity primary key,"
    " worker text not null, claimed_at bigint not null, lease_until bigint not null)"
    " with (fillfactor = 45)",
    "create table floor_history (id bigint primary key, queue text, kind text, payload text,"
    " priority int, run_at bigint, enqueued_at bigint, attempt int, fence bigint,"
    " finished_at bigint)"};

constexpr const char* insert_one =
    "insert into floor_jobs (queue, kind, payload, priority, run_at, enqueued_at)"
    " values ('default', 'bench', $1::text, 5, $2::bigint, $2::bigint)";

constexpr const char* insert_many =
    "insert into floor_jobs (queue, kind, payload, priority, run_at, enqueued_at)"
    " select 'default', 'bench', p, 5, $2::bigint, $2::bigint from unnest($1::text[]) p";

constexpr const char* claim_jobs =
    "with picked as materialized (select id from floor_jobs where queue = 'default'"
    " and priority = 5 and run_at <= 9000000000000000 and claim_id is null"
    " order by run_at, id limit $1::bigint for update skip locked),"
    " lease as (insert into floor_claims (worker, claimed_at, lease_until)"
    " select 'floor', 1, 2 from picked limit 1 returning id)"
    " update floor_jobs j set attempt = attempt + 1, fence = fence + 1, claim_id = lease.id"
    " from picked, lease where j.id = picked.id returning j.id, j.claim_id, j.payload";

constexpr const char* settle_jobs =
    "with gone as (delete from floor_jobs where id = any($1::bigint[]) and claim_id = $2::bigint"
    " returning *) insert into floor_history select id, queue, kind, payload, priority, run_at,"
    " enqueued_at, attempt, fence, 3 from gone";

/// Payloads have nothing that an array literal would need more for than this.
std::string array_of_payloads(std::int64_t first, std::int64_t end) {
  std::string text = "{";
  for (std::int64_t i = first; i < end; ++i) {
    text += text.size() > 1 ? ",\"" : "\"";
    for (const char c : payload(i)) {
      if (c == '"') text += '\\';
      text += c;
    }
    text += '"';
  }
  return text + "}";
}

/// A server has other users too.
constexpr int connections_max = 32;

class PostgresFloor : public Floor {
 public:
  PostgresFloor(std::string conninfo, const std::string& schema, stop_token stop)
      : conninfo_(std::move(conninfo)),
        path_("set search_path to \"" + schema + "\""),
        raw_(conninfo_),
        stop_(std::move(stop)) {
    raw_.run(path_.c_str());
    for (const char* table : floor_tables) raw_.run(table);
    raw_.prepare("one", insert_one);
    raw_.prepare("many", insert_many);
    raw_.prepare("begin", "begin");
    raw_.prepare("commit", "commit");
    raw_.prepare("claim", claim_jobs);
    raw_.prepare("settle", settle_jobs);
    raw_.prepare("end", "delete from floor_claims where id = $1::bigint");
  }

  double enqueue(std::int64_t jobs, int per_commit) override {
    const Steady begin = std::chrono::steady_clock::now();
    if (per_commit == 1) return per_second(insert_one_by_one(raw_, jobs), begin);
    for (std::int64_t done = 0; done < jobs; done += per_commit) {
      require_going_on(stop_);
      const std::string texts = array_of_payloads(done, std::min(jobs, done + per_commit));
      raw_.execute("many", {texts.c_str(), "1"});
    }
    return per_second(jobs, begin);
  }

  double enqueue_from(int threads, std::int64_t jobs) override {
    threads = std::min(threads, connections_max);
    std::vector<std::unique_ptr<PostgresRaw>> connections;
    for (int i = 0; i < threads; ++i) {
      connections.push_back(std::make_unique<PostgresRaw>(conninfo_));
      connections.back()->run(path_.c_str());
      connections.back()->prepare("one", insert_one);
    }
    const std::int64_t each = std::max<std::int64_t>(1, jobs / threads);
    return per_second_together(connections.size(), [&](std::size_t i) {
      return insert_one_by_one(*connections[i], each);
    });
  }

  double claim_settle(std::int64_t jobs, int batch) override {
    raw_.pipeline(true);
    Held held;
    std::int64_t settled = 0;
    const Steady begin = std::chrono::steady_clock::now();
    const Patience patience;
    do {
      require_going_on(stop_);
      const bool enough = batch <= Patience::jobs_max && patience.over();
      const std::int64_t limit =
          enough ? 0 : std::min<std::int64_t>(batch, jobs - settled - held.count);
      settled += held.count;
      held = round(held, std::to_string(limit));
    } while (held.count > 0);
    const double rate = per_second(settled, begin);
    raw_.pipeline(false);
    return rate;
  }

  void settle_down() override { raw_.run("vacuum analyze floor_jobs"); }

  FloorRows rows() override {
    return {count("select count(*) from floor_jobs"), count("select count(*) from floor_claims"),
            count("select count(*) from floor_history")};
  }

 private:
  struct Held {
    std::string ids = {};
    std::string claim_id = {};
    std::int64_t count = 0;
  };

  /// Returns how many it inserted.
  [[nodiscard]] std::int64_t insert_one_by_one(PostgresRaw& raw, std::int64_t jobs) const {
    const Patience patience;
    std::int64_t done = 0;
    for (; done < jobs && !patience.over(); ++done) {
      require_going_on(stop_);
      const std::string text = payload(done);
      raw.execute("one", {text.c_str(), "1"});
    }
    return done;
  }

  /// A transaction in one round trip: what is held is settled, the next jobs are claimed.
  Held round(const Held& held, const std::string& limit) {
    raw_.send("begin", {});
    if (held.count > 0) {
      raw_.send("settle", {held.ids.c_str(), held.claim_id.c_str()});
      raw_.send("end", {held.claim_id.c_str()});
    }
    raw_.send("claim", {limit.c_str()});
    raw_.send("commit", {});
    raw_.sync();
    raw_.next();
    if (held.count > 0) {
      raw_.next();
      raw_.next();
    }
    Held taken = held_of(raw_.next().get());
    raw_.next();
    raw_.synced();
    return taken;
  }

  static Held held_of(const ::PGresult* rows) {
    Held held;
    held.count = PQntuples(rows);
    if (held.count == 0) return held;
    held.claim_id = PQgetvalue(rows, 0, 1);
    held.ids = "{";
    for (int i = 0; i < PQntuples(rows); ++i) {
      if (i > 0) held.ids += ',';
      held.ids += PQgetvalue(rows, i, 0);
    }
    held.ids += '}';
    return held;
  }

  std::int64_t count(const char* sql) { return std::stoll(PQgetvalue(raw_.run(sql).get(), 0, 0)); }

  std::string conninfo_;
  std::string path_;
  PostgresRaw raw_;
  stop_token stop_;
};

}  // namespace

std::unique_ptr<Floor> postgres_floor(const std::string& conninfo, const std::string& schema,
                                      stop_token stop) {
  return std::make_unique<PostgresFloor>(conninfo, schema, std::move(stop));
}

}  // namespace holdfast::bench
