#include "db/sqlite_database.hpp"

#include <utility>

#include "db/sqlite_connection.hpp"
#include "db/sqlite_file.hpp"
#include "db/sqlite_watch.hpp"

namespace holdfast::db {

namespace {

class SqliteDatabase final : public Database {
 public:
  explicit SqliteDatabase(std::shared_ptr<SqliteFile> file) : file_(std::move(file)) {}

  [[nodiscard]] Dialect dialect() const override { return Dialect::sqlite; }
  [[nodiscard]] std::unique_ptr<Connection> connect(Lane lane) override {
    return std::make_unique<SqliteConnection>(file_, lane);
  }
  void require_thread_may_write() const override { file_->gate.require_not_holding(); }
  [[nodiscard]] std::unique_ptr<Watch> watch(Connection& connection,
                                             const Statement* /*listen*/) override {
    return file_->in_memory ? nullptr : watch_sqlite(connection.sqlite());
  }
  [[nodiscard]] std::string name() const override { return file_->name; }

 private:
  std::shared_ptr<SqliteFile> file_;
};

}  // namespace

std::shared_ptr<Database> open_sqlite(const std::string& path, Durability durability,
                                      const Clock& clock, std::chrono::milliseconds busy_limit) {
  auto file = std::make_shared<SqliteFile>(path, durability, clock, busy_limit);
  // A first connection finds out here and now whether the file can be used at all.
  const SqliteConnection probe(file, Lane::normal);
  return std::make_shared<SqliteDatabase>(std::move(file));
}

}  // namespace holdfast::db
