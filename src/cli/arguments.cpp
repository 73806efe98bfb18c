#include "cli/arguments.hpp"

#include <CLI/CLI.hpp>

namespace holdfast::cli {

void Arguments::add(const std::string& name, const std::string& description, Take take, Need need) {
  app_.add_option_function<std::string>(
          name,
          [name, take = std::move(take)](const std::string& text) {
            if (const auto fault = take(text)) throw CLI::ValidationError(name, *fault);
          },
          description)
      ->required(need == Need::required);
}

void Arguments::texts(const std::string& name, std::vector<std::string>& target,
                      const std::string& description) {
  // One value each time, or it would swallow what follows; and no `[a,b]` meaning a list.
  app_.add_option_function<std::vector<std::string>>(
          name, [&target](const std::vector<std::string>& texts) { target = texts; }, description)
      ->required()
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void Arguments::flag(const std::string& name, bool& target, const std::string& description) {
  app_.add_flag(name, target, description);
}

}  // namespace holdfast::cli
