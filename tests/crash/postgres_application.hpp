#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "crash/application.hpp"
#include "holdfast/postgres.hpp"

struct pg_conn;

namespace holdfast::test {

class PostgresApplication final : public Application {
 public:
  explicit PostgresApplication(const std::string& conninfo);
  ~PostgresApplication() override;
  PostgresApplication(const PostgresApplication&) = delete;
  PostgresApplication& operator=(const PostgresApplication&) = delete;

  Rows rows(const std::string& sql) override;
  Enqueued enqueue(const NewJob& job) override;
  [[nodiscard]] std::string queue(const std::string& table) const override;
  void begin() override { rows("begin"); }

 private:
  pid_t owner_;
  pg_conn* connection_;
  std::optional<postgres::Outlet> outlet_;
};

}  // namespace holdfast::test
