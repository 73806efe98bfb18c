#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace holdfast::cli {

/// Takes the text of an option and answers what is wrong with it, or nothing.
using Take = std::function<std::optional<std::string>(const std::string& text)>;

enum class Need { optional, required };

/// The options and arguments of one command. Names that begin with a dash are options, others are
/// arguments by position. Targets must outlive the parsing. Keeps the parser that does the work,
/// which takes long to compile, out of the commands.
class Arguments {
 public:
  explicit Arguments(CLI::App& app) : app_(app) {}

  void add(const std::string& name, const std::string& description, Take take,
           Need need = Need::optional);

  /// Text as it is.
  template <class Target>
  void text(const std::string& name, Target& target, const std::string& description,
            Need need = Need::optional) {
    add(
        name, description,
        [&target](const std::string& text) {
          target = text;
          return std::optional<std::string>{};
        },
        need);
  }

  /// Text that goes through one of the parsers of parse.hpp.
  template <class Target, class Parser>
  void parsed(const std::string& name, Target& target, Parser parser,
              const std::string& description, Need need = Need::optional) {
    add(
        name, description,
        [&target, parser](const std::string& text) {
          const auto answer = parser(text);
          if (!answer) return std::optional<std::string>(answer.fault());
          target = *answer;
          return std::optional<std::string>{};
        },
        need);
  }

  /// An option that may be given more than once, and once at least when it is needed.
  void texts(const std::string& name, std::vector<std::string>& target,
             const std::string& description, Need need = Need::required);

  void flag(const std::string& name, bool& target, const std::string& description);

 private:
  CLI::App& app_;
};

}  // namespace holdfast::cli
