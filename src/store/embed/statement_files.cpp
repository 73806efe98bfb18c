#include "store/embed/statement_files.hpp"

#include <algorithm>
#include <set>
#include <vector>

namespace holdfast::store::embed {

namespace {

struct FoundStatement {
  Form form;
  bool only = false;  // in this dialect alone
  bool why = false;
};
using Found = std::map<std::string, FoundStatement>;

bool is_name(const std::string& name) {
  return !name.empty() && name.front() >= 'a' && name.front() <= 'z' &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
         });
}

// One statement and nothing behind its semicolon, which is dropped.
void finish_part(const Place& place, std::string& sql) {
  sql = without_comments(sql);
  if (sql.empty()) throw Refused(place, "a statement without SQL");
  if (without_quoted(sql).find(';') != sql.size() - 1) {
    throw Refused(place, "a statement ends in its only semicolon");
  }
  sql.pop_back();
}

// Every parameter from $1 on is used, in either part; `ordered`: for the first time in order.
int check_parameters(const Form& form, bool ordered) {
  std::set<int> seen;
  for (const int number : parameters(form.sql + "\n" + form.then)) {
    if (ordered && !seen.contains(number) && number != static_cast<int>(seen.size()) + 1) {
      throw Refused(form.place, "parameters are numbered in the order of their first use; $" +
                                    std::to_string(number) + " comes too early");
    }
    seen.insert(number);
  }
  const int count = static_cast<int>(seen.size());
  if (count > 0 && (*seen.begin() != 1 || *seen.rbegin() != count)) {
    throw Refused(form.place, "parameters have a gap: $1 to $" + std::to_string(*seen.rbegin()) +
                                  " must all be used");
  }
  return count;
}

void widen(Form& form) {
  form.wide = widened(form.sql, form.wide_rows);
  if (form.wide.empty()) {
    throw Refused(form.place, "`-- rows:` is for an insert that ends in `values (…)`");
  }
}

void finish(FoundStatement& statement, bool has_then) {
  if (!statement.why) throw Refused(statement.form.place, "a statement has a line `-- why:`");
  finish_part(statement.form.place, statement.form.sql);
  if (has_then) finish_part(statement.form.place, statement.form.then);
  if (statement.form.wide_rows > 0) widen(statement.form);
}

// Collects the statements of one file, line by line.
class StatementFile {
 public:
  enum class Kind { shared, sqlite, postgres };

  StatementFile(std::string path, Kind kind) : path_(std::move(path)), kind_(kind) {}

  Found read() {
    for (const Line& line : read_lines(path_)) take(line);
    finish_current();
    return std::move(found_);
  }

 private:
  void take(const Line& line) {
    if (line.text.starts_with("-- name: ")) {
      begin(line, line.text.substr(9), false);
    } else if (line.text.starts_with("-- only: ")) {
      begin(line, line.text.substr(9), true);
    } else if (current_ == nullptr) {
      if (!without_comments(line.text).empty()) throw Refused(line.place, "SQL without a name");
    } else if (line.text.starts_with("-- why: ")) {
      current_->why = true;
    } else if (line.text.starts_with("-- rows: ")) {
      take_rows(line, line.text.substr(9));
    } else if (line.text.starts_with("-- plan: ")) {
      take_plan(line, line.text.substr(9));
    } else if (line.text == "-- then") {
      begin_then(line);
    } else {
      (has_then_ ? current_->form.then : current_->form.sql) += line.text + "\n";
    }
  }

  void begin(const Line& line, const std::string& name, bool only) {
    finish_current();
    if (!is_name(name)) throw Refused(line.place, "a name is [a-z][a-z0-9_]*, not `" + name + "`");
    if (only && kind_ == Kind::shared) {
      throw Refused(line.place, name + " is shared and cannot be `only` of one dialect");
    }
    const auto [it, inserted] = found_.try_emplace(name);
    if (!inserted) {
      throw Refused(line.place, name + " is here twice, first at line " +
                                    std::to_string(it->second.form.place.line));
    }
    current_ = &it->second;
    current_->form.place = line.place;
    current_->only = only;
  }

  void begin_then(const Line& line) {
    if (kind_ != Kind::sqlite) throw Refused(line.place, "only SQLite's file has second parts");
    if (has_then_) throw Refused(line.place, "a statement has two parts at most");
    has_then_ = true;
  }

  void take_plan(const Line& line, const std::string& plan) {
    if (kind_ == Kind::sqlite) throw Refused(line.place, "SQLite keeps every plan");
    if (plan != "kept" && plan != "pinned") {
      throw Refused(line.place, "a plan is `kept` or `pinned`, not `" + plan + "`");
    }
    current_->form.plan = plan;
  }

  void take_rows(const Line& line, const std::string& rows) {
    if (kind_ != Kind::sqlite) throw Refused(line.place, "only SQLite's file has wide inserts");
    const bool fits = !rows.empty() && rows.size() <= 3 &&
                      rows.find_first_not_of("0123456789") == std::string::npos;
    current_->form.wide_rows = fits ? std::stoi(rows) : 0;
    if (current_->form.wide_rows < 2) throw Refused(line.place, "`-- rows:` is 2 to 999");
  }

  void finish_current() {
    if (current_ != nullptr) finish(*current_, has_then_);
    has_then_ = false;
  }

  std::string path_;
  Kind kind_;
  Found found_;
  FoundStatement* current_ = nullptr;
  bool has_then_ = false;
};

void refuse_without_twin(const Found& here, const Found& there, const std::string& other) {
  for (const auto& [name, statement] : here) {
    const bool twin = there.contains(name);
    if (statement.only && twin) {
      throw Refused(statement.form.place, name + " is marked `only` but " + other + " has it too");
    }
    if (!statement.only && !twin) {
      throw Refused(statement.form.place,
                    name + " is missing in " + other + "; mark it `only` if that is meant");
    }
  }
}

void refuse_shared_twice(const Found& shared, const Found& dialect) {
  for (const auto& [name, statement] : dialect) {
    if (shared.contains(name)) {
      throw Refused(statement.form.place, name + " is in the shared file as well");
    }
  }
}

}  // namespace

std::map<std::string, NamedStatement> read_statements(const std::string& folder) {
  using Kind = StatementFile::Kind;
  const Found shared = StatementFile(folder + "/statements.sql", Kind::shared).read();
  const Found sqlite = StatementFile(folder + "/statements.sqlite.sql", Kind::sqlite).read();
  const Found postgres = StatementFile(folder + "/statements.postgres.sql", Kind::postgres).read();
  refuse_shared_twice(shared, sqlite);
  refuse_shared_twice(shared, postgres);
  refuse_without_twin(sqlite, postgres, "statements.postgres.sql");
  refuse_without_twin(postgres, sqlite, "statements.sqlite.sql");

  std::map<std::string, NamedStatement> all;
  for (const auto& [name, statement] : shared) {
    check_parameters(statement.form, true);
    all[name] = NamedStatement{statement.form, statement.form};
  }
  for (const auto& [name, statement] : sqlite) {
    check_parameters(statement.form, false);
    all[name].sqlite = statement.form;
  }
  for (const auto& [name, statement] : postgres) {
    const int count = check_parameters(statement.form, false);
    if (!statement.only && count != check_parameters(sqlite.at(name).form, false)) {
      throw Refused(statement.form.place, name + " has another number of parameters on SQLite");
    }
    all[name].postgres = statement.form;
  }
  return all;
}

}  // namespace holdfast::store::embed
