#pragma once

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "crash/cli_program.hpp"
#include "support/temporary_directory.hpp"

namespace holdfast::test {

using Json = nlohmann::json;

/// A fresh queue in a SQLite file, reached through the program only.
class CliTest : public testing::Test {
 protected:
  CliTest() { EXPECT_EQ(cli({"init"}).code, 0); }

  [[nodiscard]] std::string file() const { return directory_ / "queue.db"; }
  [[nodiscard]] std::string path(std::string_view name) const { return directory_ / name; }

  [[nodiscard]] std::vector<std::string> on_queue(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"--database", "sqlite:" + file()});
    return arguments;
  }

  Finished cli(std::vector<std::string> arguments, std::string_view stdin_bytes = {}) const {
    return run_program(on_queue(std::move(arguments)), stdin_bytes);
  }

  /// Enqueues and returns the id, as text.
  std::string enqueue(std::vector<std::string> arguments, std::string_view stdin_bytes = {}) const {
    arguments.insert(arguments.begin(), "enqueue");
    const Finished finished = cli(std::move(arguments), stdin_bytes);
    EXPECT_EQ(finished.code, 0) << finished.err;
    return finished.out.substr(0, finished.out.find('\n'));
  }

  /// Works until nothing is left to do.
  Finished drain(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"work", "--drain"});
    const Finished finished = cli(std::move(arguments));
    EXPECT_EQ(finished.code, 0) << finished.err;
    return finished;
  }

  [[nodiscard]] Json show(const std::string& id) const {
    const Finished finished = cli({"show", id, "--json"});
    EXPECT_EQ(finished.code, 0) << finished.err;
    return Json::parse(finished.out);
  }

  /// One object for each line.
  [[nodiscard]] std::vector<Json> jobs(std::vector<std::string> arguments = {}) const {
    arguments.insert(arguments.begin(), {"jobs", "--json"});
    std::istringstream lines(cli(std::move(arguments)).out);
    std::vector<Json> all;
    for (std::string line; std::getline(lines, line);) all.push_back(Json::parse(line));
    return all;
  }

  /// SQL of the application's own, on a connection of its own.
  void sql(const std::string& text) const {
    sqlite3* db = nullptr;
    sqlite3_open(file().c_str(), &db);
    char* message = nullptr;
    const int result = sqlite3_exec(db, text.c_str(), nullptr, nullptr, &message);
    const std::string fault = message == nullptr ? "" : message;
    sqlite3_free(message);
    sqlite3_close(db);
    if (result != SQLITE_OK) throw std::runtime_error(text + ": " + fault);
  }

  TemporaryDirectory directory_;
};

}  // namespace holdfast::test
