#include "cli/arguments.hpp"

#include <CLI/CLI.hpp>

namespace holdfast::cli {

// CLI11 reads `{}` and `[a,b]` as lists when it converts a text; payloads may look like that.
// Taking what was written, before any conversion, leaves every text as it is.

void Arguments::add(const std::string& name, const std::string& description, Take take, Need need) {
  CLI::callback_t taken = [name, take = std::move(take)](const CLI::results_t& texts) {
    if (const auto fault = take(texts.front())) throw CLI::ValidationError(name, *fault);
    return true;
  };
  app_.add_option(name, std::move(taken), description)->required(need == Need::required);
}

void Arguments::texts(const std::string& name, std::vector<std::string>& target,
                      const std::string& description, Need need) {
  CLI::callback_t taken = [&target](const CLI::results_t& texts) {
    target = texts;
    return true;
  };
  // One text each time, or it would swallow what follows.
  app_.add_option(name, std::move(taken), description)
      ->required(need == Need::required)
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void Arguments::flag(const std::string& name, bool& target, const std::string& description) {
  app_.add_flag(name, target, description);
}

}  // namespace holdfast::cli
