#include <algorithm>
#include <array>
#include <vector>

#include "bench/floor.hpp"
#include "bench/plan.hpp"
#include "bench/sqlite_raw.hpp"

namespace holdfast::bench {

namespace {

constexpr std::array tables{
    "create table floor_jobs (id integer primary key autoincrement, queue text not null,"
    " kind text not null, payload text not null, priority int not null, run_at int not null,"
    " enqueued_at int not null, attempt int not null default 0, fence int not null default 0,"
    " claim_id int) strict",
    "create index floor_hot on floor_jobs (queue, priority, run_at)",
    "create table floor_claims (id integer primary key autoincrement, worker text not null,"
    " claimed_at int not null, lease_until int not null) strict",
    "create table floor_history (id integer primary key, queue text, kind text, payload text,"
    " priority int, run_at int, enqueued_at int, attempt int, fence int, finished_at int) strict"};

class SqliteFloor : public Floor {
 public:
  SqliteFloor(const std::string& file, stop_token stop) : raw_(file), stop_(std::move(stop)) {
    for (const char* table : tables) raw_.run(table);
  }

  double enqueue(std::int64_t jobs, int per_commit) override {
    SqliteRawStatement insert(
        raw_,
        "insert into floor_jobs (queue, kind, payload, priority, run_at, enqueued_at)"
        " values ('default', 'bench', ?1, 5, ?2, ?2)");
    const Steady begin = std::chrono::steady_clock::now();
    const Patience patience;
    std::int64_t done = 0;
    while (done < jobs && (per_commit > Patience::jobs_max || !patience.over())) {
      require_going_on(stop_);
      if (per_commit > 1) raw_.run("begin immediate");
      const std::int64_t end = std::min(jobs, done + per_commit);
      for (; done < end; ++done) {
        const std::string text = payload(done);
        insert.bind(1, text);
        insert.bind(2, done);
        insert.step();
      }
      if (per_commit > 1) raw_.run("commit");
    }
    return per_second(done, begin);
  }

  double enqueue_from(int threads, std::int64_t jobs) override { return enqueue(jobs, threads); }

  double claim_settle(std::int64_t jobs, int batch) override {
    Round round(raw_);
    std::int64_t settled = 0;
    const Steady begin = std::chrono::steady_clock::now();
    const Patience patience;
    do {
      require_going_on(stop_);
      raw_.run("begin immediate");
      settled += round.settle();
      const bool enough = batch <= Patience::jobs_max && patience.over();
      round.claim(enough ? 0 : std::min<std::int64_t>(batch, jobs - settled));
      raw_.run("commit");
    } while (round.holds_jobs());
    return per_second(settled, begin);
  }

  void settle_down() override {}

  FloorRows rows() override {
    return {count("select count(*) from floor_jobs"), count("select count(*) from floor_claims"),
            count("select count(*) from floor_history")};
  }

 private:
  /// What is claimed in one transaction and settled in the next.
  class Round {
   public:
    explicit Round(const SqliteRaw& raw)
        : pick_(
              raw,
              "select id, payload from floor_jobs where queue = 'default' and priority = 5"
              " and run_at <= 9000000000000000 and claim_id is null order by run_at, id limit ?1"),
          lease_(raw,
                 "insert into floor_claims (worker, claimed_at, lease_until)"
                 " values ('floor', 1, 2) returning id"),
          take_(raw,
                "update floor_jobs set attempt = attempt + 1, fence = fence + 1, claim_id = ?2"
                " where id = ?1"),
          keep_(raw,
                "insert into floor_history select id, queue, kind, payload, priority, run_at,"
                " enqueued_at, attempt, fence, 3 from floor_jobs where id = ?1 and claim_id = ?2"),
          drop_(raw, "delete from floor_jobs where id = ?1 and claim_id = ?2"),
          end_(raw, "delete from floor_claims where id = ?1") {}

    [[nodiscard]] bool holds_jobs() const { return !ids_.empty(); }

    void claim(std::int64_t limit) {
      if (limit <= 0) return;
      pick_.bind(1, limit);
      while (pick_.step()) {
        ids_.push_back(pick_.integer(0));
        payload_bytes_ += *pick_.text(1);
      }
      if (ids_.empty()) return;
      while (lease_.step()) claim_id_ = lease_.integer(0);
      for (const auto id : ids_) run(take_, id);
    }

    std::int64_t settle() {
      if (ids_.empty()) return 0;
      for (const auto id : ids_) {
        run(keep_, id);
        run(drop_, id);
      }
      end_.bind(1, claim_id_);
      end_.step();
      const auto settled = static_cast<std::int64_t>(ids_.size());
      ids_.clear();
      return settled;
    }

   private:
    void run(SqliteRawStatement& statement, sqlite3_int64 id) const {
      statement.bind(1, id);
      statement.bind(2, claim_id_);
      statement.step();
    }

    SqliteRawStatement pick_;
    SqliteRawStatement lease_;
    SqliteRawStatement take_;
    SqliteRawStatement keep_;
    SqliteRawStatement drop_;
    SqliteRawStatement end_;
    std::vector<sqlite3_int64> ids_;
    sqlite3_int64 claim_id_ = 0;
    std::int64_t payload_bytes_ = 0;  ///< a handler would look at its payload
  };

  std::int64_t count(const char* sql) {
    SqliteRawStatement statement(raw_, sql);
    std::int64_t answer = 0;
    while (statement.step()) answer = statement.integer(0);
    return answer;
  }

  SqliteRaw raw_;
  stop_token stop_;
};

}  // namespace

std::unique_ptr<Floor> sqlite_floor(const std::string& file, stop_token stop) {
  return std::make_unique<SqliteFloor>(file, std::move(stop));
}

}  // namespace holdfast::bench
