#include "store/statements.hpp"

#include <string>
#include <utility>

#include "holdfast/error.hpp"
#include "store/statement_texts.hpp"

namespace holdfast::store {

namespace {

using Substitution = std::pair<std::string_view, std::string>;

bool is_schema(std::string_view schema) {
  if (schema.empty() || schema.size() > 31 || schema[0] < 'a' || schema[0] > 'z') return false;
  return schema.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == schema.npos;
}

void check_schema(std::string_view schema) {
  if (is_schema(schema)) return;
  throw Error(Code::invalid,
              "a schema has 1 to 31 characters a-z, 0-9 and _, and begins with a "
              "letter: \"" +
                  std::string(schema) + "\" does not");
}

std::string table_prefix(Dialect dialect, std::string_view schema) {
  const std::string name(schema);
  return dialect == Dialect::sqlite ? name + "_" : "\"" + name + "\".";
}

void replace_all(std::string& text, const Substitution& substitution) {
  const auto& [from, to] = substitution;
  for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

// A text inside an array literal of PostgreSQL: both the quote and the backslash are escaped.
std::string quoted_element(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

std::string json_escape(unsigned char c) {
  constexpr std::string_view digits = "0123456789abcdef";
  return std::string("\\u00") + digits[c >> 4U] + digits[c & 15U];
}

std::string json_text(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20) {
      quoted += json_escape(static_cast<unsigned char>(c));
      continue;
    }
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

template <typename Items, typename Write>
std::string joined(Dialect dialect, const Items& items, Write write) {
  std::string list(1, dialect == Dialect::sqlite ? '[' : '{');
  for (const auto& item : items) {
    if (list.size() > 1) list += ',';
    list += write(item);
  }
  return list + (dialect == Dialect::sqlite ? ']' : '}');
}

}  // namespace

std::string with_namespace(std::string_view text, Dialect dialect, std::string_view schema) {
  std::string filled(text);
  replace_all(filled, {"{ns}", table_prefix(dialect, schema)});
  replace_all(filled, {"{schema}", "\"" + std::string(schema) + "\""});
  replace_all(filled, {"{schema_text}", "'" + std::string(schema) + "'"});
  return filled;
}

StatementSet::StatementSet(Dialect dialect, std::string_view schema)
    : dialect_(dialect), schema_(schema) {
  check_schema(schema);
  for (const StatementText& text : statement_texts(dialect)) {
    statements_.push_back(Statement{text.name, with_namespace(text.sql, dialect, schema),
                                    with_namespace(text.then, dialect, schema),
                                    with_namespace(text.wide, dialect, schema), text.wide_rows,
                                    text.plan});
  }
}

std::shared_ptr<const StatementSet> StatementSet::load(Dialect dialect, std::string_view schema) {
  return std::shared_ptr<const StatementSet>(new StatementSet(dialect, schema));
}

const Statement& StatementSet::operator[](Sql name) const {
  const Statement& statement = statements_.at(static_cast<std::size_t>(name));
  if (!statement.sql.empty()) return statement;
  throw Error(Code::internal, "this database has no such statement", std::string(statement.name));
}

std::string list_of(Dialect dialect, std::span<const std::int64_t> ids) {
  return joined(dialect, ids, [](std::int64_t id) { return std::to_string(id); });
}

std::string list_of(Dialect dialect, std::span<const std::string> texts) {
  return joined(dialect, texts, [&](const std::string& text) {
    return dialect == Dialect::sqlite ? json_text(text) : quoted_element(text);
  });
}

std::string object_of(std::span<const std::pair<std::int64_t, std::int64_t>> numbers) {
  std::string object = "{";
  for (const auto& [id, number] : numbers) {
    if (object.size() > 1) object += ',';
    object += '"' + std::to_string(id) + "\":" + std::to_string(number);
  }
  return object + '}';
}

}  // namespace holdfast::store
