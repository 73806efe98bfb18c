#include <algorithm>
#include <regex>

#include "tidy/rules.hpp"
#include "tidy/source_text.hpp"

namespace holdfast::tidy {

namespace {

// A text that reads or writes rows of a table. What db/ says to its own connection stays possible:
// pragmas, settings, transactions, savepoints, and a select of functions alone.
bool is_statement(const std::string& text) {
  static const std::regex pattern(
      R"re(\b(insert\s+into|update|delete\s+from|select\b[^]*\bfrom)\s+[\w{}."]+\b(?!\())re",
      std::regex::icase);
  static const std::regex begins(
      R"(^\s*(insert into|update \S+ set|delete from|select|with \S+ as)\b)", std::regex::icase);
  return std::regex_search(text, begins) && std::regex_search(text, pattern);
}

// Comments blanked, so that lines keep their numbers.
std::string without_comments(std::string text) {
  for (std::size_t at = text.find("--"); at != std::string::npos; at = text.find("--", at)) {
    while (at < text.size() && text[at] != '\n') text[at++] = ' ';
  }
  return text;
}

// The part of a statement from `start` to its end, or to the parenthesis that closes around it.
std::string clause_at(const std::string& text, std::size_t start) {
  int depth = 0;
  std::size_t end = start;
  for (; end < text.size() && text[end] != ';'; ++end) {
    if (text[end] == '(') ++depth;
    if (text[end] == ')' && --depth < 0) break;
  }
  return text.substr(start, end - start);
}

std::string whole_statement(const std::string& text, std::size_t inside) {
  const std::size_t before = text.rfind(';', inside);
  const std::size_t start = before == std::string::npos ? 0 : before + 1;
  return text.substr(start, text.find(';', inside) - start);
}

bool carries_lease(const std::string& where) {
  static const std::regex fence(R"(\bfence\s*=)");
  static const std::regex claim(R"(\bclaim_id\s*=)");
  static const std::regex waiting(R"(\bclaim_id\s+is\s+null)");
  return std::regex_search(where, waiting) ||
         (std::regex_search(where, fence) && std::regex_search(where, claim));
}

// What stands behind the first `where`; the `set` before it assigns the same columns.
std::string where_of(const std::string& clause) {
  static const std::regex where(R"(\bwhere\b)");
  std::smatch match;
  return std::regex_search(clause, match, where) ? match.suffix().str() : "";
}

// Rows that an earlier part of the same statement locked, under the lease or as waiting.
bool follows_lock(const std::string& where, const std::string& statement) {
  static const std::regex joins(R"(\bid\s*=\s*(held|picked)\.id\b)");
  static const std::regex lock(R"(\bwhere\b([^]*?)\bfor\s+update)");
  std::smatch locked;
  return std::regex_search(where, joins) && std::regex_search(statement, locked, lock) &&
         carries_lease(locked[1]);
}

}  // namespace

Findings sql_in_source(const File& source) {
  Findings findings;
  static const std::regex by_hand(R"(src/bench/(sqlite|postgres)_\w+\.cpp)");
  if (std::regex_match(source.path, by_hand)) return findings;
  for (const Literal& literal : string_literals(source.text)) {
    if (is_statement(literal.text)) {
      findings.push_back(finding(source, literal.line, "SQL belongs into sql/: " + literal.text));
    }
  }
  return findings;
}

Findings unfenced_writes(const File& sql) {
  static const std::regex write(R"(\b(update|delete\s+from)\s+\{ns\}jobs\b)");
  const std::string text = without_comments(sql.text);
  Findings findings;
  for (std::sregex_iterator found(text.begin(), text.end(), write), end; found != end; ++found) {
    const auto at = static_cast<std::size_t>(found->position());
    const std::string where = where_of(clause_at(text, at));
    if (carries_lease(where) || follows_lock(where, whole_statement(text, at))) continue;
    const auto line = std::count(text.begin(), text.begin() + found->position(), '\n') + 1;
    findings.push_back(finding(sql, static_cast<std::size_t>(line),
                               found->str() + " without fence and claim_id in its where"));
  }
  return findings;
}

}  // namespace holdfast::tidy
