#pragma once

#include <functional>
#include <memory>
#include <string>

#include "cli/arguments.hpp"
#include "cli/database.hpp"
#include "cli/exit_code.hpp"

namespace holdfast::cli {

/// What a command does once its line was understood.
using Action = std::function<ExitCode(const Globals&)>;

/// The commands of the program: each add_… function below puts one command in.
class Commands {
 public:
  /// `chosen` is set when a command was recognised.
  Commands(CLI::App& app, Action& chosen) : app_(app), chosen_(chosen) {}

  Arguments add(const std::string& name, const std::string& description, Action action);

 private:
  CLI::App& app_;
  Action& chosen_;
};

void add_init(Commands& commands);
void add_migrate(Commands& commands);
void add_enqueue(Commands& commands);
void add_work(Commands& commands);
void add_jobs(Commands& commands);
void add_show(Commands& commands);
void add_replay(Commands& commands);
void add_cancel(Commands& commands);
void add_discard(Commands& commands);
void add_stats(Commands& commands);
void add_bench(Commands& commands);
void add_restored(Commands& commands);
void add_version(Commands& commands);

}  // namespace holdfast::cli
