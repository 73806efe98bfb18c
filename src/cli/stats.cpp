#include <fmt/format.h>

#include <algorithm>

#include "cli/commands.hpp"
#include "cli/job_json.hpp"
#include "cli/output.hpp"
#include "cli/table.hpp"

namespace holdfast::cli {

namespace {

QueueStats total_of(const std::vector<QueueStats>& queues) {
  QueueStats total{.queue = "total"};
  for (const QueueStats& queue : queues) {
    total.scheduled += queue.scheduled;
    total.retrying += queue.retrying;
    total.ready += queue.ready;
    total.running += queue.running;
    total.succeeded += queue.succeeded;
    total.cancelled += queue.cancelled;
    total.discarded += queue.discarded;
    total.quarantined += queue.quarantined;
    total.oldest_runnable_age_seconds =
        std::max(total.oldest_runnable_age_seconds, queue.oldest_runnable_age_seconds);
  }
  return total;
}

void add_row(Table& table, const QueueStats& stats) {
  const auto text = [](std::int64_t count) { return std::to_string(count); };
  table.add({stats.queue, text(stats.scheduled), text(stats.retrying), text(stats.ready),
             text(stats.running), text(stats.succeeded), text(stats.cancelled),
             text(stats.discarded), text(stats.quarantined),
             fmt::format("{:.1f}", stats.oldest_runnable_age_seconds)});
}

void print_table(const std::vector<QueueStats>& queues, const QueueStats& total) {
  Table table({{"queue"},
               {"scheduled", Align::right},
               {"retrying", Align::right},
               {"ready", Align::right},
               {"running", Align::right},
               {"succeeded", Align::right},
               {"cancelled", Align::right},
               {"discarded", Align::right},
               {"quarantined", Align::right},
               {"oldest ready (s)", Align::right}});
  for (const QueueStats& queue : queues) add_row(table, queue);
  add_row(table, total);
  table.print();
}

Json without_name(const QueueStats& stats) {
  Json json = to_json(stats);
  json.erase("queue");
  return json;
}

ExitCode stats(const Globals& globals) {
  const std::vector<QueueStats> queues = open_store(globals).stats();
  const QueueStats total = total_of(queues);
  if (!globals.json) {
    print_table(queues, total);
    return ExitCode::ok;
  }
  Json list = Json::array();
  for (const QueueStats& queue : queues) list.push_back(to_json(queue));
  print_json(Json{{"queues", list}, {"total", without_name(total)}});
  return ExitCode::ok;
}

}  // namespace

void add_stats(Commands& commands) {
  commands.add("stats", "how many jobs are in which state, by queue",
               [](const Globals& globals) { return stats(globals); });
}

}  // namespace holdfast::cli
