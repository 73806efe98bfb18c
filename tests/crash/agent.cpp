#include "crash/agent.hpp"

#include <sys/prctl.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <exception>
#include <map>

#include "crash/application.hpp"

namespace holdfast::test {

namespace {

/// One place that knows every option, for reading and for writing.
template <class Visit>
void each_option(AgentOptions& options, Visit visit) {
  visit("role", options.role);
  visit("database", options.database);
  visit("directory", options.directory);
  visit("name", options.name);
  visit("seed", options.seed);
  visit("threads", options.threads);
  visit("lease_ms", options.lease_ms);
  visit("grace_ms", options.grace_ms);
  visit("stop_grace_ms", options.stop_grace_ms);
  visit("sync_ms", options.sync_ms);
  visit("way", options.way);
}

void assign(std::string& to, const std::string& text) { to = text; }
void assign(std::uint64_t& to, const std::string& text) { to = std::stoull(text); }
void assign(std::int64_t& to, const std::string& text) { to = std::stoll(text); }

std::string text_of(const std::string& value) { return value; }
std::string text_of(std::uint64_t value) { return std::to_string(value); }
std::string text_of(std::int64_t value) { return std::to_string(value); }

AgentOptions parse(int count, char** arguments) {
  AgentOptions options;
  for (int i = 0; i < count; ++i) {
    const std::string argument = arguments[i];
    const auto equals = argument.find('=');
    each_option(options, [&](std::string_view name, auto& member) {
      if (argument.substr(0, equals) == name) assign(member, argument.substr(equals + 1));
    });
  }
  return options;
}

}  // namespace

std::vector<std::string> to_arguments(const AgentOptions& options) {
  std::vector<std::string> arguments{std::string(agent_argument)};
  AgentOptions copy = options;
  each_option(copy, [&](std::string_view name, const auto& member) {
    arguments.push_back(std::string(name) + "=" + text_of(member));
  });
  return arguments;
}

void migrate(const AgentOptions& options) { open_store(options.database).migrate(); }

void burn() {
  std::atomic<std::uint64_t> spent = 0;
  while (true) ++spent;
}

int run_agent(int count, char** arguments) {
  // An agent does not outlive the test that started it.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const AgentOptions options = parse(count, arguments);
  try {
    if (options.role == "produce") produce(options);
    if (options.role == "burn") burn();
    static const std::map<std::string, void (*)(const AgentOptions&)> roles{
        {"work", &work}, {"trade", &trade}, {"leave", &leave}, {"migrate", &migrate}};
    roles.at(options.role)(options);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "agent %s: %s\n", options.name.c_str(), error.what());
    return 1;
  }
}

}  // namespace holdfast::test
