#include "options.hpp"

#include <charconv>
#include <functional>
#include <map>
#include <stdexcept>
#include <string_view>

namespace checksums {

namespace {

template <class Number>
Number number(const std::string& name, std::string_view text, Number least, Number most) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < least || value > most) {
    throw std::invalid_argument(name + " wants a number from " + std::to_string(least) + " to " +
                                std::to_string(most));
  }
  return value;
}

using Setter = std::function<void(Options&, const std::string& name, const std::string& value)>;

Setter text(std::string Options::*member) {
  return [member](Options& options, const std::string&, const std::string& value) {
    options.*member = value;
  };
}

Setter count(int Options::*member, int most) {
  return [=](Options& options, const std::string& name, const std::string& value) {
    options.*member = number(name, value, 1, most);
  };
}

const std::map<std::string, Setter, std::less<>>& setters() {
  static const std::map<std::string, Setter, std::less<>> all{
      {"--database", text(&Options::database)},
      {"--directory", text(&Options::directory)},
      {"--files",
       [](Options& options, const std::string& name, const std::string& value) {
         options.files = number(name, value, 1L, 10'000'000L);
       }},
      {"--workers", count(&Options::workers, 64)},
      {"--threads", count(&Options::threads, 64)},
      {"--role", text(&Options::role)},
      {"--logs", text(&Options::logs)},
      {"--run", text(&Options::run)},
      {"--name", text(&Options::name)},
  };
  return all;
}

}  // namespace

Options parse_options(int count, const char* const* arguments) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string name = arguments[i];
    if (name == "--help" || name == "-h") {
      options.help = true;
    } else if (name == "--keep") {
      options.keep = true;
    } else if (const auto setter = setters().find(name); setter == setters().end()) {
      throw std::invalid_argument("unknown option " + name + "; --help lists them");
    } else if (++i == count) {
      throw std::invalid_argument(name + " wants a value");
    } else {
      setter->second(options, name, arguments[i]);
    }
  }
  return options;
}

std::vector<std::string> to_arguments(const Options& options) {
  return {"--database",  options.database,
          "--directory", options.directory,
          "--files",     std::to_string(options.files),
          "--workers",   std::to_string(options.workers),
          "--threads",   std::to_string(options.threads),
          "--role",      options.role,
          "--logs",      options.logs,
          "--run",       options.run,
          "--name",      options.name};
}

const char* usage() {
  return "checksums: hashes the files of a directory through a durable queue, kills a worker half\n"
         "way and accounts for every file at the end. Exit code 1 if anything was lost or "
         "doubled.\n"
         "\n"
         "  --database WHERE  sqlite:FILE or postgres://… (default: a fresh SQLite file)\n"
         "  --directory DIR   what to hash (default: /usr/share)\n"
         "  --files N         at most so many files (default: 2000)\n"
         "  --workers N       worker processes (default: 3)\n"
         "  --threads N       handlers at the same time in each worker (default: 2)\n"
         "  --keep            keep the database and the logs, and say where they are\n";
}

}  // namespace checksums
