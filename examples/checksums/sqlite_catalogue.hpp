#pragma once

#include <memory>
#include <optional>
#include <string>

#include "catalogue.hpp"
#include "holdfast/sqlite.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace checksums {

/// The catalogue in the SQLite file that the queue lives in.
class SqliteCatalogue final : public Catalogue {
 public:
  explicit SqliteCatalogue(const Place& place);
  ~SqliteCatalogue() override;

  void create_tables() override;
  void drop() override;
  std::int64_t add(const FoundFile& file) override;
  Rows rows(const std::string& sql) override;

 private:
  void insert(const FoundFile& file, std::int64_t job);

  std::unique_ptr<sqlite3, int (*)(sqlite3*)> database_;
  sqlite3_stmt* insert_ = nullptr;
  std::optional<holdfast::sqlite::Outlet> outlet_;
};

}  // namespace checksums
