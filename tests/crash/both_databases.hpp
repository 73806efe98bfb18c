#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "crash/agent.hpp"
#include "crash/application.hpp"
#include "holdfast/session.hpp"

namespace holdfast::test {

class FreshPostgres;

/// A fresh database with the queue's tables and the application's, and a directory for the logs.
class OnBothDatabases : public testing::TestWithParam<Dialect> {
 public:
  OnBothDatabases();
  ~OnBothDatabases() override;

 protected:
  [[nodiscard]] const std::string& database() const noexcept { return database_; }
  [[nodiscard]] const std::string& directory() const noexcept { return directory_; }
  [[nodiscard]] std::string log(std::string_view name) const {
    return directory_ + std::string(name);
  }
  Application& application() { return *application_; }
  void release_application() { application_.reset(); }

  /// A worker's options with this database and directory.
  [[nodiscard]] AgentOptions worker(const std::string& name) const;

 private:
  std::string directory_;
  std::unique_ptr<FreshPostgres> postgres_;
  std::string database_;
  std::unique_ptr<Application> application_;
};

/// Asks every few milliseconds; false if the answer was not yes within `limit`.
[[nodiscard]] bool eventually(const std::function<bool()>& is_so,
                              std::chrono::milliseconds limit = std::chrono::seconds(20));

/// The databases that this build knows, and their names in test names.
[[nodiscard]] std::vector<Dialect> databases();
[[nodiscard]] std::string name_of(const testing::TestParamInfo<Dialect>& database);

}  // namespace holdfast::test
