#include "place.hpp"

#include <stdexcept>

#ifdef CHECKSUMS_WITH_POSTGRES
#include "holdfast/postgres.hpp"
#endif

namespace checksums {

namespace {

constexpr std::string_view sqlite_prefix = "sqlite:";

std::string qualified(std::string_view schema, const std::string& name) {
  return std::string(1, '"').append(schema).append("\".").append(name);
}

}  // namespace

bool Place::on_sqlite() const { return database.starts_with(sqlite_prefix); }

std::string Place::sqlite_file() const { return database.substr(sqlite_prefix.size()); }

std::string Place::queue_schema() const { return on_sqlite() ? "holdfast" : run + "_queue"; }

std::string Place::table(const std::string& name) const {
  return on_sqlite() ? name : qualified(run, name);
}

std::string Place::queue_view(const std::string& name) const {
  return on_sqlite() ? queue_schema() + "_" + name : qualified(queue_schema(), name);
}

holdfast::Store Place::open_store() const {
#ifdef CHECKSUMS_WITH_POSTGRES
  if (!on_sqlite()) return holdfast::postgres::open(database, {.schema = queue_schema()});
#endif
  return holdfast::sqlite::open(sqlite_file(), {.schema = queue_schema()});
}

Place place_of(const Options& options) {
  Place place{options.database, options.run, options.logs};
  if (place.on_sqlite()) return place;
  if (!options.database.starts_with("postgres")) {
    throw std::invalid_argument("--database wants sqlite:FILE or postgres://…");
  }
#ifndef CHECKSUMS_WITH_POSTGRES
  throw std::invalid_argument("this program was built without PostgreSQL");
#endif
  return place;
}

}  // namespace checksums
