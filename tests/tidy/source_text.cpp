#include "tidy/source_text.hpp"

#include <algorithm>
#include <cctype>

namespace holdfast::tidy {

namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Walks over a source once and collects its literals.
class Scanner {
 public:
  explicit Scanner(const std::string& source) : source_(source) {}

  std::vector<Literal> scan() {
    while (at_ < source_.size()) step();
    return std::move(literals_);
  }

 private:
  void step() {
    const char c = source_[at_];
    if (source_.compare(at_, 2, "//") == 0) {
      at_ = find_or_end("\n", at_);
    } else if (source_.compare(at_, 2, "/*") == 0) {
      skip_to(find_or_end("*/", at_) + 2);
    } else if (source_.compare(at_, 2, "R\"") == 0) {
      take_raw();
    } else if (c == '"') {
      take_plain();
    } else if (c == '\'' && !(at_ > 0 && is_word(source_[at_ - 1]))) {  // not 1'000
      skip_to(end_of_quoted(at_));
      joined_ = false;
    } else {
      if (std::isspace(static_cast<unsigned char>(c)) == 0) joined_ = false;
      skip_to(at_ + 1);
    }
  }

  std::size_t find_or_end(const std::string& what, std::size_t from) const {
    return std::min(source_.find(what, from), source_.size());
  }

  // Index behind the literal in plain quotes that begins at `start`.
  std::size_t end_of_quoted(std::size_t start) const {
    std::size_t end = start + 1;
    while (end < source_.size() && source_[end] != source_[start]) {
      end += source_[end] == '\\' ? 2U : 1U;
    }
    return std::min(end + 1, source_.size());
  }

  void take_plain() {
    const std::size_t end = end_of_quoted(at_);
    add(source_.substr(at_ + 1, end - at_ - 2));
    skip_to(end);
  }

  void take_raw() {
    const std::size_t open = find_or_end("(", at_);
    const std::string close = ")" + source_.substr(at_ + 2, open - at_ - 2) + "\"";
    const std::size_t end = find_or_end(close, open);
    add(source_.substr(open + 1, end - open - 1));
    skip_to(std::min(end + close.size(), source_.size()));
  }

  void add(const std::string& text) {
    if (joined_) {
      literals_.back().text += text;
    } else {
      literals_.push_back(Literal{line_, text});
    }
    joined_ = true;
  }

  void skip_to(std::size_t end) {
    end = std::min(end, source_.size());
    line_ += static_cast<std::size_t>(std::count(source_.begin() + static_cast<std::ptrdiff_t>(at_),
                                                 source_.begin() + static_cast<std::ptrdiff_t>(end),
                                                 '\n'));
    at_ = end;
  }

  const std::string& source_;
  std::vector<Literal> literals_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  bool joined_ = false;
};

}  // namespace

std::vector<Literal> string_literals(const std::string& source) { return Scanner(source).scan(); }

}  // namespace holdfast::tidy
