#include "db/postgres_address.hpp"

#include <array>
#include <cstdlib>
#include <utility>
#include <vector>

#include "base/fork.hpp"
#include "db/postgres_error.hpp"
#include "holdfast/error.hpp"

namespace holdfast::db {

namespace {

struct FreeOptions {
  void operator()(PQconninfoOption* options) const noexcept { PQconninfoFree(options); }
};
using Options = std::unique_ptr<PQconninfoOption, FreeOptions>;

Options parse(const std::string& conninfo) {
  char* message = nullptr;
  Options options(PQconninfoParse(conninfo.c_str(), &message));
  PQfreemem(message);
  if (!options) {
    throw Error(Code::invalid,
                "the PostgreSQL connection string cannot be read: write keyword=value pairs or a "
                "postgresql:// URI");
  }
  return options;
}

/// What is used unless the connection string or libpq's environment says otherwise.
struct Default {
  const char* keyword;
  const char* environment;
  const char* value;
};
constexpr std::array defaults = {
    Default{"connect_timeout", "PGCONNECT_TIMEOUT", "5"},
    Default{"fallback_application_name", nullptr, "holdfast"},
    Default{"keepalives_idle", nullptr, "5"},
    Default{"keepalives_interval", nullptr, "5"},
    Default{"keepalives_count", nullptr, "2"},
    Default{"tcp_user_timeout", nullptr, "15000"},
};

bool is_secret(std::string_view keyword) {
  return keyword == "password" || keyword == "sslpassword";
}

}  // namespace

void FinishConnection::operator()(PGconn* connection) const noexcept {
  if (base::fork_generation() == generation) PQfinish(connection);
}

PostgresAddress::PostgresAddress(const std::string& conninfo) {
  const Options options = parse(conninfo);
  for (const auto* option = options.get(); option->keyword != nullptr; ++option) {
    if (option->val != nullptr) given_[option->keyword] = option->val;
  }
}

std::string PostgresAddress::name() const {
  std::string host = given("host").empty() ? given("hostaddr") : given("host");
  if (host.empty()) host = "localhost";
  const std::string port = given("port").empty() ? "5432" : given("port");
  const std::string database = given("dbname").empty() ? given("user") : given("dbname");
  return host + ":" + port + "/" + database;
}

/// PQconnectdbParams and not the polling form: only libpq itself can give up on one host of a
/// list after `connect_timeout` and go on with the next.
PostgresHandle PostgresAddress::dial() const {
  Parameters parameters = given_;
  for (const Default& each : defaults) {
    const bool set = each.environment != nullptr && std::getenv(each.environment) != nullptr;
    if (!set) parameters.emplace(each.keyword, each.value);
  }
  parameters["client_encoding"] = "UTF8";
  std::vector<const char*> keywords;
  std::vector<const char*> values;
  for (const auto& [keyword, value] : parameters) {
    keywords.push_back(keyword.c_str());
    values.push_back(value.c_str());
  }
  keywords.push_back(nullptr);
  values.push_back(nullptr);
  PostgresHandle handle(PQconnectdbParams(keywords.data(), values.data(), 0),
                        FinishConnection{base::fork_generation()});
  if (PQstatus(handle.get()) == CONNECTION_OK) return handle;
  throw Error(Code::disconnected, masked("cannot connect to " + name() + ": " +
                                         one_line(PQerrorMessage(handle.get()))));
}

/// The given parameter, else libpq's default for it, which may come from the environment.
std::string PostgresAddress::given(std::string_view keyword) const {
  const auto found = given_.find(keyword);
  if (found != given_.end()) return found->second;
  const Options options(PQconndefaults());
  for (const auto* option = options.get(); option && option->keyword; ++option) {
    if (keyword == option->keyword && option->val != nullptr) return option->val;
  }
  return {};
}

std::string PostgresAddress::masked(std::string text) const {
  for (const auto& [keyword, value] : given_) {
    if (!is_secret(keyword) || value.empty()) continue;
    for (auto at = text.find(value); at != std::string::npos; at = text.find(value, at + 3)) {
      text.replace(at, value.size(), "***");
    }
  }
  return text;
}

}  // namespace holdfast::db
