#include "db/postgres_database.hpp"

#include <optional>

#include "db/postgres_address.hpp"
#include "db/postgres_connection.hpp"
#include "db/postgres_watch.hpp"

namespace holdfast::db {

namespace {

class PostgresDatabase : public Database {
 public:
  PostgresDatabase(const std::string& conninfo, const std::string& listen, Durability durability,
                   const Clock& clock)
      : address_(std::make_shared<const PostgresAddress>(conninfo)),
        durability_(durability),
        clock_(clock) {
    if (!listen.empty()) direct_.emplace(listen);
  }

  [[nodiscard]] Dialect dialect() const override { return Dialect::postgres; }

  [[nodiscard]] std::unique_ptr<Connection> connect(Lane lane) override {
    const Plan plans = lane == Lane::claims ? Plan::pinned : Plan::kept;
    return std::make_unique<PostgresConnection>(address_, durability_, clock_, plans);
  }

  [[nodiscard]] std::unique_ptr<Watch> watch(Connection& connection,
                                             const Statement* listen) override {
    if (listen == nullptr) return nullptr;
    return direct_ ? watch_postgres(*direct_, *listen)
                   : watch_postgres(connection.postgres(), *listen);
  }

  [[nodiscard]] std::string name() const override { return address_->name(); }

 private:
  std::shared_ptr<const PostgresAddress> address_;
  std::optional<PostgresAddress> direct_;  ///< past a pooler, for listening
  Durability durability_;
  const Clock& clock_;
};

}  // namespace

std::shared_ptr<Database> open_postgres(const std::string& conninfo, Durability durability,
                                        const Clock& clock, const std::string& listen) {
  return std::make_shared<PostgresDatabase>(conninfo, listen, durability, clock);
}

}  // namespace holdfast::db
