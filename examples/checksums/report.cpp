#include "report.hpp"

#include <cstdio>
#include <map>
#include <sstream>

#include "append_log.hpp"

namespace checksums {

namespace {

/// Job -> how many final states it has; none for a live job.
std::map<std::int64_t, int> final_states(const Place& place, Catalogue& catalogue) {
  std::map<std::int64_t, int> finals;
  for (const auto& row : catalogue.rows("select id, state from " + place.queue_view("all_jobs"))) {
    const std::string& state = row.at(1);
    const bool is_final = state == "succeeded" || state == "quarantined" || state == "cancelled" ||
                          state == "discarded";
    finals[std::stoll(row.at(0))] += is_final ? 1 : 0;
  }
  return finals;
}

void read_acknowledged(Report& report, const Place& place, Catalogue& catalogue) {
  const auto finals = final_states(place, catalogue);
  std::int64_t first_us = 0;
  std::int64_t last_us = 0;
  for (const std::string& line : read_log(place.acknowledged_log())) {
    std::istringstream words(line);
    std::int64_t job = 0;
    words >> last_us >> job;
    if (report.acknowledged++ == 0) first_us = last_us;
    const auto found = finals.find(job);
    if (found == finals.end() || found->second > 1) ++report.jobs_lost;
  }
  if (last_us > first_us) {
    report.enqueued_per_second = 1e6 * static_cast<double>(report.acknowledged - 1) /
                                 static_cast<double>(last_us - first_us);
  }
}

void read_left_out(Report& report, const Place& place) {
  for (const std::string& line : read_log(place.left_out_log())) {
    std::istringstream(line) >> report.files_beyond >> report.files_unnameable;
  }
}

void read_database(Report& report, const Place& place, Catalogue& catalogue) {
  const std::string files = place.table("files");
  const std::string effects = place.table("effects");
  const std::string jobs = place.queue_view("all_jobs");
  const auto number = [&](const std::string& sql) { return catalogue.number(sql); };
  report.files = number("select count(*) from " + files);
  report.jobs = number("select count(*) from " + jobs);
  report.succeeded = number("select count(*) from " + jobs + " where state = 'succeeded'");
  report.quarantined = number("select count(*) from " + jobs + " where state = 'quarantined'");
  report.jobs_live = report.jobs - report.succeeded - report.quarantined;
  report.attempts_lost = number("select count(*) from " + place.queue_view("failed_attempts") +
                                " where outcome = 'lost'");
  report.effects_doubled = number("select count(*) - count(distinct file_id) from " + effects);
  report.effects_missing =
      number("select count(*) from " + jobs +
             " where state = 'succeeded' and id not in (select job from " + effects + ")");
  report.jobs_orphaned =
      number("select count(*) from " + jobs + " where id not in (select job from " + files + ")") +
      number("select count(*) from " + files + " where job not in (select id from " + jobs + ")");
  const auto reasons = catalogue.rows("select reason from " + jobs +
                                      " where state = 'quarantined' order by id limit 1");
  if (!reasons.empty()) report.quarantine_reason = reasons.front().front();
}

void line(const char* what, std::int64_t count, const char* remark = "") {
  std::printf("  %-34s %10lld  %s\n", what, static_cast<long long>(count), remark);
}

const char* verdict(const Report& report) {
  if (!report.sound()) return "THE ACCOUNT DOES NOT ADD UP.";
  if (!report.complete()) return "Nothing lost or doubled so far, but not every job is final.";
  return "Nothing lost, nothing doubled.";
}

}  // namespace

bool Report::sound() const {
  // More files than acknowledged: the enumerator ended between a commit and its log line.
  return files >= acknowledged && jobs == files && effects_doubled == 0 && effects_missing == 0 &&
         jobs_lost == 0 && jobs_orphaned == 0;
}

Report make_report(const Place& place, Catalogue& catalogue, double seconds) {
  Report report;
  read_database(report, place, catalogue);
  read_acknowledged(report, place, catalogue);
  read_left_out(report, place);
  report.starts = static_cast<std::int64_t>(read_log(place.start_log()).size());
  report.worked_per_second = static_cast<double>(report.succeeded) / seconds;
  return report;
}

void print(const Report& report, const Options& options) {
  std::printf("\n");
  line("files", report.files);
  line("jobs", report.jobs);
  line("succeeded", report.succeeded);
  line("quarantined", report.quarantined, report.quarantine_reason.c_str());
  line("starts", report.starts);
  line("attempts lost and taken over", report.attempts_lost, "of the killed worker");
  line("effects doubled", report.effects_doubled);
  line("effects missing", report.effects_missing);
  line("jobs not final", report.jobs_live);
  line("jobs lost", report.jobs_lost, "acknowledged, and nowhere or twice");
  line("jobs or files orphaned", report.jobs_orphaned);
  std::printf("  %-34s %10.0f\n", "jobs enqueued per second", report.enqueued_per_second);
  std::printf("  %-34s %10.0f\n", "jobs worked per second", report.worked_per_second);
  if (report.files_beyond > 0) {
    std::printf("Left out: %lld more files (--files %ld).\n",
                static_cast<long long>(report.files_beyond), options.files);
  }
  if (report.files_unnameable > 0) {
    std::printf("Left out: %lld files whose names are not UTF-8.\n",
                static_cast<long long>(report.files_unnameable));
  }
  std::printf("%s\n", verdict(report));
}

}  // namespace checksums
