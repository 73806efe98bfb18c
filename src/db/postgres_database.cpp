#include "db/postgres_database.hpp"

#include <utility>

#include "db/postgres_address.hpp"
#include "db/postgres_connection.hpp"

namespace holdfast::db {

namespace {

class PostgresDatabase : public Database {
 public:
  PostgresDatabase(const std::string& conninfo, Durability durability, const Clock& clock)
      : address_(std::make_shared<const PostgresAddress>(conninfo)),
        durability_(durability),
        clock_(clock) {}

  [[nodiscard]] Dialect dialect() const override { return Dialect::postgres; }

  /// Writers do not queue on PostgreSQL, so the lane makes no difference.
  [[nodiscard]] std::unique_ptr<Connection> connect(Lane /*lane*/) override {
    return std::make_unique<PostgresConnection>(address_, durability_, clock_);
  }

  [[nodiscard]] std::string name() const override { return address_->name(); }

 private:
  std::shared_ptr<const PostgresAddress> address_;
  Durability durability_;
  const Clock& clock_;
};

}  // namespace

std::shared_ptr<Database> open_postgres(const std::string& conninfo, Durability durability,
                                        const Clock& clock) {
  return std::make_shared<PostgresDatabase>(conninfo, durability, clock);
}

}  // namespace holdfast::db
