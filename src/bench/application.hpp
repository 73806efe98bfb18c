#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace holdfast::bench {

/// An application in whose database the queue lives, with a connection of its own and the waiting
/// time that its drivers have by default.
class Application {
 public:
  virtual ~Application() = default;

  /// An update and an insert in one transaction. False when the database refused it.
  [[nodiscard]] virtual bool write() = 0;
};

[[nodiscard]] std::unique_ptr<Application> sqlite_application(const std::string& file);
[[nodiscard]] std::unique_ptr<Application> postgres_application(const std::string& conninfo,
                                                                const std::string& schema);

}  // namespace holdfast::bench
