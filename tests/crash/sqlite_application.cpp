#include "crash/sqlite_application.hpp"

#include <sqlite3.h>
#include <unistd.h>

#include <stdexcept>

namespace holdfast::test {

namespace {

constexpr int busy_timeout_ms = 30'000;

}  // namespace

SqliteApplication::SqliteApplication(const std::string& file) : owner_(::getpid()) {
  if (sqlite3_open(file.c_str(), &database_) != SQLITE_OK) {
    throw std::runtime_error("cannot open " + file);
  }
  sqlite3_busy_timeout(database_, busy_timeout_ms);
  rows("pragma journal_mode=wal");
  rows("pragma synchronous=full");
}

SqliteApplication::~SqliteApplication() {
  outlet_.reset();
  if (owner_ == ::getpid()) sqlite3_close(database_);
}

Application::Rows SqliteApplication::rows(const std::string& sql) {
  Rows rows;
  const auto add = [](void* to, int columns, char** values, char**) {
    auto& row = static_cast<Rows*>(to)->emplace_back();
    for (int i = 0; i < columns; ++i) row.emplace_back(values[i] == nullptr ? "null" : values[i]);
    return 0;
  };
  if (sqlite3_exec(database_, sql.c_str(), add, &rows, nullptr) != SQLITE_OK) {
    throw std::runtime_error(sql + ": " + sqlite3_errmsg(database_));
  }
  return rows;
}

Enqueued SqliteApplication::enqueue(const NewJob& job) {
  if (!outlet_) outlet_.emplace(database_);
  return outlet_->enqueue(job);
}

std::string SqliteApplication::queue(const std::string& table) const { return "holdfast_" + table; }

}  // namespace holdfast::test
