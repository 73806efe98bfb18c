#pragma once

#include <memory>
#include <string>
#include <vector>

#include "catalogue.hpp"
#include "holdfast/postgres.hpp"

struct pg_conn;

namespace checksums {

/// The catalogue in a PostgreSQL database, in a schema of this run's own.
class PostgresCatalogue final : public Catalogue {
 public:
  explicit PostgresCatalogue(const Place& place);

  void create_tables() override;
  void drop() override;
  std::int64_t add(const FoundFile& file) override;
  Rows rows(const std::string& sql) override;

 private:
  Rows run(const std::string& sql, const std::vector<std::string>& values);

  Place place_;
  std::unique_ptr<pg_conn, void (*)(pg_conn*)> connection_;
  holdfast::postgres::Outlet outlet_;
};

}  // namespace checksums
