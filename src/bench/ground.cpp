#include "bench/ground.hpp"

#include "holdfast/error.hpp"
#include "holdfast/sqlite.hpp"

#ifdef HOLDFAST_WITH_POSTGRES
#include "holdfast/postgres.hpp"
#endif

namespace holdfast::bench {

#ifdef HOLDFAST_WITH_POSTGRES

Store open(const Address& address) {
  StoreOptions options{.schema = address.schema};
  return address.dialect == Dialect::sqlite ? sqlite::open(address.target, std::move(options))
                                            : postgres::open(address.target, std::move(options));
}

std::unique_ptr<Floor> floor_at(const Address& address, stop_token stop) {
  return address.dialect == Dialect::sqlite
             ? sqlite_floor(address.target, std::move(stop))
             : postgres_floor(address.target, address.schema, std::move(stop));
}

std::unique_ptr<SignalPath> signal_path_at(const Address& address) {
  return address.dialect == Dialect::sqlite ? sqlite_signal_path(address.target)
                                            : postgres_signal_path(address.target, address.schema);
}

std::unique_ptr<Application> application_at(const Address& address) {
  return address.dialect == Dialect::sqlite ? sqlite_application(address.target)
                                            : postgres_application(address.target, address.schema);
}

std::vector<Steady> send_signals(const Address& address, const Signals& signals) {
  return address.dialect == Dialect::sqlite
             ? send_sqlite_signals(address.target, signals)
             : send_postgres_signals(address.target, address.schema, signals);
}

#else

Store open(const Address& address) {
  return sqlite::open(address.target, {.schema = address.schema});
}

std::unique_ptr<Floor> floor_at(const Address& address, stop_token stop) {
  return sqlite_floor(address.target, std::move(stop));
}

std::unique_ptr<SignalPath> signal_path_at(const Address& address) {
  return sqlite_signal_path(address.target);
}

std::unique_ptr<Application> application_at(const Address& address) {
  return sqlite_application(address.target);
}

std::vector<Steady> send_signals(const Address& address, const Signals& signals) {
  return send_sqlite_signals(address.target, signals);
}

std::unique_ptr<Ground> postgres_ground(const std::string& conninfo) {
  static_cast<void>(conninfo);
  throw Error(Code::misuse, "this holdfast was built without PostgreSQL");
}

#endif

}  // namespace holdfast::bench
