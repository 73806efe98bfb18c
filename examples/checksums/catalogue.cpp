#include "catalogue.hpp"

#include <stdexcept>

#include "sqlite_catalogue.hpp"
#ifdef CHECKSUMS_WITH_POSTGRES
#include "postgres_catalogue.hpp"
#endif

namespace checksums {

std::int64_t Catalogue::number(const std::string& sql) {
  const Rows answer = rows(sql);
  if (answer.empty() || answer.front().empty() || answer.front().front().empty()) {
    throw std::runtime_error("no number came back from: " + sql);
  }
  return std::stoll(answer.front().front());
}

std::unique_ptr<Catalogue> open_catalogue(const Place& place) {
#ifdef CHECKSUMS_WITH_POSTGRES
  if (!place.on_sqlite()) return std::make_unique<PostgresCatalogue>(place);
#endif
  return std::make_unique<SqliteCatalogue>(place);
}

}  // namespace checksums
