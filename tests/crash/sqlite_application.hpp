#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "crash/application.hpp"
#include "holdfast/sqlite.hpp"

struct sqlite3;

namespace holdfast::test {

class SqliteApplication final : public Application {
 public:
  explicit SqliteApplication(const std::string& file);
  ~SqliteApplication() override;
  SqliteApplication(const SqliteApplication&) = delete;
  SqliteApplication& operator=(const SqliteApplication&) = delete;

  Rows rows(const std::string& sql) override;
  Enqueued enqueue(const NewJob& job) override;
  [[nodiscard]] std::string queue(const std::string& table) const override;
  void begin() override { rows("begin immediate"); }

 private:
  pid_t owner_;
  sqlite3* database_ = nullptr;
  std::optional<sqlite::Outlet> outlet_;
};

}  // namespace holdfast::test
