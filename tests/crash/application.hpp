#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "holdfast/job.hpp"
#include "holdfast/store.hpp"

namespace holdfast::test {

/// The application around the queue, on a C handle of its own: it commits orders together with
/// their jobs, and it looks at the tables without asking the library. Belongs to one thread; its
/// destructor leaves the connection alone in a forked child.
class Application {
 public:
  virtual ~Application() = default;

  using Rows = std::vector<std::vector<std::string>>;

  /// All rows of a statement as text. Throws std::runtime_error.
  virtual Rows rows(const std::string& sql) = 0;

  /// Through an Outlet on this connection: part of the transaction that is open on it.
  virtual Enqueued enqueue(const NewJob& job) = 0;

  /// A table or view of the queue, as SQL writes it.
  [[nodiscard]] virtual std::string queue(const std::string& table) const = 0;

  virtual void begin() = 0;
  void commit() { rows("commit"); }
  void rollback() { rows("rollback"); }

  /// orders(name, job) and effects(job, fence, worker), without a constraint that would hide a
  /// doubled effect.
  void create_tables();

  [[nodiscard]] std::int64_t number(const std::string& sql);
};

/// `database` is sqlite:FILE or postgres:CONNINFO.
[[nodiscard]] std::unique_ptr<Application> open_application(const std::string& database);
[[nodiscard]] Store open_store(const std::string& database);

}  // namespace holdfast::test
