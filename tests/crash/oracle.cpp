#include "crash/oracle.hpp"

#include <map>
#include <set>
#include <utility>

#include "crash/agent.hpp"
#include "crash/append_log.hpp"

namespace holdfast::test {

namespace {

class Oracle {
 public:
  Oracle(Application& application, const std::string& directory)
      : application_(application), directory_(directory) {
    account_.jobs = number("select count(*) from " + q("all_jobs"));
    account_.lost_attempts =
        number("select count(*) from " + q("attempts") + " where outcome = 'lost'");
  }

  Account account() {
    check_acknowledged();
    check_rolled_back();
    check_orders();
    check_final_states();
    check_fences();
    check_effects();
    check_starts();
    return std::move(account_);
  }

 private:
  [[nodiscard]] std::string q(const std::string& table) const { return application_.queue(table); }
  std::int64_t number(const std::string& sql) { return application_.number(sql); }

  void refuse(std::int64_t count, const std::string& what) {
    if (count != 0) account_.violations.push_back(std::to_string(count) + " " + what);
  }

  /// `sql` counts what must not exist.
  void none(const std::string& what, const std::string& sql) { refuse(number(sql), what); }

  void check_acknowledged() {
    std::map<std::string, int> finals;
    for (const auto& row : application_.rows("select id from " + q("history"))) ++finals[row[0]];
    std::set<std::string> ordered;
    for (const auto& row : application_.rows("select name from orders")) ordered.insert(row[0]);
    std::int64_t orders_lost = 0;
    for (const auto& line : read_log(directory_ + std::string(acknowledged_log))) {
      ++account_.acknowledged;
      if (finals[line.at(0)] != 1) ++account_.lost_jobs;
      if (!ordered.contains(line.at(1))) ++orders_lost;
    }
    refuse(account_.lost_jobs, "acknowledged jobs are not in exactly one final state");
    refuse(orders_lost, "acknowledged orders are gone");
  }

  void check_rolled_back() {
    std::set<std::string> rolled_back;
    for (const auto& line : read_log(directory_ + std::string(rolled_back_log))) {
      rolled_back.insert(line.at(0));
    }
    std::int64_t seen = 0;
    for (const auto& row : application_.rows("select payload from " + q("all_jobs") +
                                             " union all select name from orders")) {
      seen += rolled_back.contains(row[0]) ? 1 : 0;
    }
    refuse(seen, "jobs or orders of rolled-back transactions exist");
  }

  /// Order and job were committed together, whether or not the answer arrived.
  void check_orders() {
    none("orders have no job",
         "select count(*) from orders where job not in (select id from " + q("all_jobs") + ")");
    none("jobs have no order", "select count(*) from " + q("all_jobs") +
                                   " where payload not in (select name from orders)");
  }

  void check_final_states() {
    none("jobs are live after the drain", "select count(*) from " + q("jobs"));
    none("jobs are in quarantine", "select count(*) from " + q("quarantine"));
    none("claims are left", "select count(*) from " + q("claims"));
    none("final states are doubled", "select count(*) - count(distinct id) from " + q("history"));
    none("jobs ended in another state than succeeded",
         "select count(*) from " + q("history") + " where state <> 'succeeded'");
  }

  /// Every started claim left exactly one row: the success in history, all others in attempts. One
  /// that was handed back before its start leaves none: its fence is a gap, and its attempt is
  /// given back, so that the attempts of a job always count from 1 without a gap.
  void check_fences() {
    none("jobs have more ends than fences", "select count(*) from " + q("history") +
                                                " h where h.fence < 1 + (select count(*) from " +
                                                q("attempts") + " a where a.job_id = h.id)");
    none("attempts have a fence beyond the success",
         "select count(*) from " + q("history") + " h join " + q("attempts") +
             " a on a.job_id = h.id where a.fence >= h.fence");
    none("jobs count their attempts wrongly",
         "select count(*) from " + q("history") +
             " h where h.attempt <> 1 + (select count(*) from " + q("attempts") +
             " a where a.job_id = h.id and a.outcome not in ('snoozed', 'released'))");
    none("attempts belong to no job", "select count(*) from " + q("attempts") +
                                          " where job_id not in (select id from " + q("history") +
                                          ")");
  }

  void check_effects() {
    account_.doubled_effects = number("select count(*) - count(distinct job) from effects");
    refuse(account_.doubled_effects, "effects are doubled");
    none("effects are missing", "select count(*) from " + q("history") +
                                    " where kind <> 'plain' and id not in (select job from "
                                    "effects)");
    none("effects come from an attempt that did not succeed",
         "select count(*) from effects e where not exists (select 1 from " + q("history") +
             " h where h.id = e.job and h.fence = e.fence)");
  }

  /// Every start in the log outside the database is one claim inside it.
  void check_starts() {
    std::set<std::pair<std::string, std::string>> known;
    for (const auto& row : application_.rows("select job_id, fence from " + q("attempts") +
                                             " union all select id, fence from " + q("history"))) {
      known.emplace(row[0], row[1]);
    }
    std::set<std::pair<std::string, std::string>> started;
    std::int64_t repeated = 0;
    std::int64_t unknown = 0;
    for (const auto& line : read_log(directory_ + std::string(start_log))) {
      ++account_.starts;
      const std::pair start(line.at(0), line.at(1));
      repeated += started.insert(start).second ? 0 : 1;
      unknown += known.contains(start) ? 0 : 1;
    }
    refuse(repeated, "starts repeat a fence");
    refuse(unknown, "starts are in no table");
  }

  Application& application_;
  const std::string& directory_;
  Account account_;
};

}  // namespace

bool drained(Application& application) {
  return application.number("select (select count(*) from " + application.queue("jobs") +
                            ") + (select count(*) from " + application.queue("claims") + ")") == 0;
}

Account take_account(Application& application, const std::string& directory) {
  return Oracle(application, directory).account();
}

std::vector<std::string> storage_faults(Application& application, Dialect dialect) {
  std::vector<std::string> faults;
  if (dialect == Dialect::sqlite) {
    for (const auto& row : application.rows("pragma integrity_check")) {
      if (row.at(0) != "ok") faults.push_back(row.at(0));
    }
    return faults;
  }
  const auto none = [&](const std::string& what, const std::string& sql) {
    if (application.number(sql) != 0) faults.push_back(what);
  };
  none("transactions stand idle",
       "select count(*) from pg_stat_activity where datname = current_database() and "
       "pid <> pg_backend_pid() and state like 'idle in transaction%'");
  none("advisory locks are held", "select count(*) from pg_locks where locktype = 'advisory'");
  none("connections are left",
       "select count(*) from pg_stat_activity where datname = current_database() and "
       "pid <> pg_backend_pid()");
  return faults;
}

}  // namespace holdfast::test
