#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <map>

#include "bench/suite.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/signals.hpp"
#include "cli/table.hpp"
#include "cli/usage_error.hpp"
#include "holdfast/error.hpp"
#include "holdfast/version.hpp"

namespace holdfast::cli {

namespace {

struct BenchFlags {
  std::vector<std::string> databases = {};
  std::optional<std::vector<std::string>> only = {};
  std::int64_t jobs = bench::Plan{}.jobs;
  std::int64_t runs = bench::Plan{}.runs;
};

using Figures = std::vector<bench::Figure>;

/// A database and what was measured there.
struct Measured {
  std::string key;
  std::string title;
  Figures figures;
};

bench::Plan plan_of(const Globals& globals, const BenchFlags& flags) {
  bench::Plan plan{.jobs = flags.jobs, .runs = static_cast<int>(flags.runs)};
  if (flags.only) {
    plan.questions.clear();
    for (const std::string& name : *flags.only) {
      const auto question = bench::question(name);
      if (!question) {
        throw UsageError("--only: " + name +
                         " is not one of enqueue, threads, life, claim, wake, busy, beside");
      }
      plan.questions.push_back(*question);
    }
  }
  if (!globals.json && ::isatty(STDERR_FILENO) != 0) {
    plan.progress = [](std::string_view what) { fmt::print(stderr, "{}\n", what); };
  }
  return plan;
}

/// A file is only named to say which disk is meant: it is not touched.
std::unique_ptr<bench::Ground> ground_of(const DatabaseName& name) {
  if (name.dialect == Dialect::postgres) return bench::postgres_ground(name.target);
  const std::filesystem::path directory = std::filesystem::path(name.target).parent_path();
  return bench::sqlite_ground(directory.empty() ? "." : directory.string());
}

/// sqlite, postgres; a second one of a kind has its number behind it.
std::string key_of(Dialect dialect, std::map<Dialect, int>& seen) {
  const std::string name = dialect == Dialect::sqlite ? "sqlite" : "postgres";
  const int count = ++seen[dialect];
  return count == 1 ? name : name + "_" + std::to_string(count);
}

std::vector<Measured> measure_all(const std::vector<Globals>& targets, bench::Producer& producer,
                                  const bench::Plan& plan) {
  std::vector<Measured> all;
  std::map<Dialect, int> seen;
  for (const Globals& target : targets) {
    const DatabaseName name = database_of(target);
    try {
      const auto ground = ground_of(name);
      all.push_back({key_of(name.dialect, seen),
                     name.dialect == Dialect::sqlite ? "SQLite" : "PostgreSQL",
                     bench::measure(*ground, producer, plan)});
    } catch (const Error& error) {
      throw Error(error.code(), without_password(error.what(), target.database), error.statement());
    }
  }
  return all;
}

/// Three digits, and of large numbers those before the point.
Json rounded(double value) {
  if (value >= 100) return Json(std::llround(value));
  return Json(std::stod(fmt::format("{:.3g}", value)));
}

Json figures_json(const Figures& figures) {
  Json json;
  for (const bench::Figure& figure : figures) {
    json[figure.key] = rounded(figure.holdfast);
    if (figure.floor) json[figure.key + "_floor"] = rounded(*figure.floor);
    if (const auto ratio = figure.ratio()) json[figure.key + "_floor_ratio"] = rounded(*ratio);
  }
  return json;
}

std::string cell(const bench::Figure& figure, std::optional<double> value) {
  if (!value) return "-";
  if (figure.unit == bench::Unit::count) return fmt::format("{:.0f}", *value);
  return figure.unit == bench::Unit::per_second ? fmt::format("{:.0f}/s", *value)
                                                : fmt::format("{:.3f} ms", *value);
}

void print_table(const std::vector<Measured>& all) {
  Table table(
      {{"what"}, {"Holdfast", Align::right}, {"raw floor", Align::right}, {"ratio", Align::right}});
  for (const Measured& measured : all) {
    for (const bench::Figure& figure : measured.figures) {
      const auto ratio = figure.ratio();
      table.add({measured.title + ", " + figure.what, cell(figure, figure.holdfast),
                 cell(figure, figure.floor), ratio ? fmt::format("{:.2f}", *ratio) : "-"});
    }
  }
  table.print();
}

std::vector<Globals> targets_of(const Globals& globals, const BenchFlags& flags) {
  if (globals.schema != Globals{}.schema) {
    throw UsageError("--namespace: bench makes a namespace of its own, and removes it");
  }
  std::vector<Globals> targets;
  for (const std::string& database : flags.databases) targets.push_back({.database = database});
  if (targets.empty()) targets.push_back(globals);
  for (const Globals& target : targets) static_cast<void>(database_of(target));
  return targets;
}

ExitCode measure_and_print(const Globals& globals, const BenchFlags& flags) {
  const std::vector<Globals> targets = targets_of(globals, flags);
  bench::Plan plan = plan_of(globals, flags);
  bench::Producer producer;  // forks, so it comes before the first thread
  stop_source stop;
  plan.stop = stop.get_token();
  const Signals signals([&](int) { stop.request_stop(); });
  std::vector<Measured> all;
  try {
    all = measure_all(targets, producer, plan);
  } catch (const bench::Interrupted&) {
    print_error(globals.json, "interrupted", "interrupted: what was made for it is removed");
    return ExitCode::failed;
  }
  if (!globals.json) {
    print_table(all);
    return ExitCode::ok;
  }
  Json json;
  for (const Measured& measured : all) json[measured.key] = figures_json(measured.figures);
  json["version"] = version;
  print_json(json);
  return ExitCode::ok;
}

}  // namespace

void add_bench(Commands& commands) {
  auto flags = std::make_shared<BenchFlags>();
  Arguments arguments =
      commands.add("bench", "measure this machine's databases, beside the same work by hand",
                   [flags](const Globals& globals) { return measure_and_print(globals, *flags); });
  const auto between = [](std::int64_t least, std::int64_t most) {
    return [=](std::string_view text) { return parse_integer(text, least, most); };
  };
  arguments.texts("--database", flags->databases,
                  "where: postgres://…, or sqlite:FILE for the disk of FILE, which is not touched; "
                  "may be given more than once (default: a file in this directory)",
                  Need::optional);
  arguments.parsed("--only", flags->only, parse_names,
                   "what: enqueue, threads, life, claim, wake, busy, beside (default: all)");
  arguments.parsed("--jobs", flags->jobs, between(1, 10'000'000),
                   "jobs for the fast questions, the slow ones take fewer (default: 100000)");
  arguments.parsed("--runs", flags->runs, between(1, 99),
                   "how often; the answers are medians (default: 3)");
}

}  // namespace holdfast::cli
