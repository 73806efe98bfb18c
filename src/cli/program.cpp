#include "cli/program.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <iostream>
#include <string>
#include <string_view>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/usage_error.hpp"
#include "holdfast/error.hpp"

namespace holdfast::cli {

namespace {

void add_globals(CLI::App& app, Globals& globals) {
  app.add_option("--database", globals.database,
                 "sqlite:FILE or postgres://USER@HOST/NAME (default: sqlite:holdfast.db)")
      ->envname("HOLDFAST_DATABASE");
  app.add_option("--namespace", globals.schema,
                 "the queue's name in the database: table prefix or schema (default: holdfast)");
  app.add_flag("--json", globals.json, "print JSON");
}

void add_commands(Commands commands) {
  add_init(commands);
  add_migrate(commands);
  add_enqueue(commands);
  add_work(commands);
  add_jobs(commands);
  add_show(commands);
  add_replay(commands);
  add_cancel(commands);
  add_discard(commands);
  add_stats(commands);
  add_bench(commands);
  add_restored(commands);
  add_version(commands);
}

/// A line that could not be read may still have asked for JSON.
bool mentions_json(int argc, const char* const* argv) {
  return std::any_of(argv, argv + argc,
                     [](const char* arg) { return std::string_view(arg) == "--json"; });
}

/// CLI11 takes a lone `++` for the end of a command and would enqueue an empty payload instead.
bool has_lone_plus(int argc, const char* const* argv) {
  for (int i = 1; i < argc && std::string_view(argv[i]) != "--"; ++i) {
    if (std::string_view(argv[i]) == "++") return true;
  }
  return false;
}

/// What is wrong with a line that could not be read, and where to look.
std::string fault_of_line(const CLI::App& app, const std::string& fault) {
  const auto chosen = app.get_subcommands();
  if (!chosen.empty()) {
    return fault + " (see `holdfast " + chosen.front()->get_name() + " --help`)";
  }
  std::string names;
  for (const CLI::App* command : app.get_subcommands({})) {
    names += (names.empty() ? "" : ", ") + command->get_name();
  }
  return "give one of the commands " + names + " (see `holdfast --help`)";
}

ExitCode act(const Action& chosen, const Globals& globals) {
  const ExitCode code = chosen(globals);
  flush_output();
  return code;
}

/// The one place where what ends a command becomes a sentence and an exit code.
ExitCode guarded(const Action& chosen, const Globals& globals) {
  const auto report = [&](std::string_view error, std::string_view text) {
    print_error(globals.json, error, without_password(std::string(text), globals.database));
  };
  try {
    return act(chosen, globals);
  } catch (const UsageError& error) {
    report("usage", error.what());
    return ExitCode::usage;
  } catch (const Error& error) {
    report(to_string(error.code()), error.what());
    return exit_code(error.code());
  } catch (const std::exception& error) {
    report("internal", error.what());
    return ExitCode::failed;
  }
}

}  // namespace

Arguments Commands::add(const std::string& name, const std::string& description, Action action) {
  CLI::App* command = app_.add_subcommand(name, description);
  command->callback([&chosen = chosen_, action = std::move(action)] { chosen = action; });
  return Arguments(*command);
}

ExitCode run(int argc, const char* const* argv) {
  Globals globals;
  Action chosen;
  CLI::App app("A durable job queue inside your own database.", "holdfast");
  app.require_subcommand(1);
  app.fallthrough();
  add_globals(app, globals);
  add_commands(Commands(app, chosen));
  if (has_lone_plus(argc, argv)) {
    print_error(mentions_json(argc, argv), "usage", "put -- before a text that is just ++");
    return ExitCode::usage;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked_for_help) {
    return static_cast<ExitCode>(app.exit(asked_for_help, std::cout, std::cerr));
  } catch (const CLI::ParseError& error) {
    const std::string text = fault_of_line(app, error.what());
    print_error(mentions_json(argc, argv), "usage", without_password(text, globals.database));
    return ExitCode::usage;
  }
  return guarded(chosen, globals);
}

}  // namespace holdfast::cli
