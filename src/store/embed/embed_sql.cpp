// Build step: checks the texts below sql/ and writes them as C++ tables.
//
//   holdfast_embed_sql <sql folder> <output folder>
//
// Statements live in .sql files so that they can be read, reviewed and tried in a database shell;
// names, numbers of parameters and pairs of dialects are checked here, before a test has to.

#include <exception>
#include <fstream>
#include <iostream>
#include <sstream>

#include "store/embed/migration_files.hpp"
#include "store/embed/statement_files.hpp"

namespace holdfast::store::embed {
namespace {

using Statements = std::map<std::string, NamedStatement>;

std::string literal(const std::string& text) {
  if (text.find(")sql\"") != std::string::npos) {
    throw std::runtime_error("a text below sql/ contains the end of a raw string: )sql\"");
  }
  return "R\"sql(" + text + ")sql\"";
}

std::string names_header(const Statements& statements) {
  std::ostringstream out;
  out << "// Generated from sql/. Do not edit.\n#pragma once\n\nnamespace holdfast::store {\n\n"
      << "/// Every named statement; a dialect need not have all of them.\nenum class Sql {\n";
  for (const auto& [name, statement] : statements) out << "  " << name << ",\n";
  out << "};\ninline constexpr int sql_count = " << statements.size()
      << ";\n\n}  // namespace holdfast::store\n";
  return out.str();
}

void write_forms(std::ostream& out, const Statements& statements, const std::string& dialect,
                 Form NamedStatement::*form) {
  out << "constexpr StatementText " << dialect << "_statements[] = {\n";
  for (const auto& [name, statement] : statements) {
    const Form& text = statement.*form;
    out << "    {\"" << name << "\", " << literal(text.sql) << ", " << literal(text.then) << ", "
        << literal(text.wide) << ", " << text.wide_rows << ", "
        << "Plan::" << text.plan << "},\n";
  }
  out << "};\n\n";
}

void write_migrations(std::ostream& out, const std::vector<Migration>& migrations,
                      const std::string& dialect) {
  out << "constexpr MigrationText " << dialect << "_migrations[] = {\n";
  for (const Migration& step : migrations) {
    out << "    {" << step.version << ", \"" << step.name << "\", " << step.oldest << ", "
        << literal(step.sql) << "},\n";
  }
  out << "};\n\n";
}

std::string tables_source(const Statements& statements, const Migrations& migrations) {
  std::ostringstream out;
  out << "// Generated from sql/. Do not edit.\n#include \"store/statement_texts.hpp\"\n\n"
      << "namespace holdfast::store {\n\nnamespace {\n\n";
  write_forms(out, statements, "sqlite", &NamedStatement::sqlite);
  write_forms(out, statements, "postgres", &NamedStatement::postgres);
  write_migrations(out, migrations.sqlite, "sqlite");
  write_migrations(out, migrations.postgres, "postgres");
  out << "}  // namespace\n\n"
      << "std::span<const StatementText> statement_texts(Dialect dialect) {\n"
      << "  if (dialect == Dialect::sqlite) return sqlite_statements;\n"
      << "  return postgres_statements;\n}\n\n"
      << "std::span<const MigrationText> migration_texts(Dialect dialect) {\n"
      << "  if (dialect == Dialect::sqlite) return sqlite_migrations;\n"
      << "  return postgres_migrations;\n}\n\n}  // namespace holdfast::store\n";
  return out.str();
}

void write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::trunc);
  file << text;
  file.close();
  if (!file) throw std::runtime_error(path + ": cannot be written");
}

}  // namespace
}  // namespace holdfast::store::embed

int main(int argc, char** argv) {
  using namespace holdfast::store::embed;
  if (argc != 3) {
    std::cerr << "usage: holdfast_embed_sql <sql folder> <output folder>\n";
    return 2;
  }
  try {
    const std::string input = argv[1];
    const std::string output = argv[2];
    const auto statements = read_statements(input);
    const Migrations migrations = read_migrations(input + "/migrations");
    write_file(output + "/sql_names.hpp", names_header(statements));
    write_file(output + "/sql_tables.cpp", tables_source(statements, migrations));
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
  return 0;
}
