#include "bench/application.hpp"
#include "bench/postgres_raw.hpp"
#include "holdfast/error.hpp"

namespace holdfast::bench {

namespace {

class PostgresApplication : public Application {
 public:
  PostgresApplication(const std::string& conninfo, const std::string& schema) : raw_(conninfo) {
    raw_.run(("set search_path to \"" + schema + '"').c_str());
    raw_.run("create table if not exists orders (id bigserial primary key, state text not null)");
    raw_.run("insert into orders (state) values ('open')");
  }

  bool write() override {
    try {
      raw_.run("begin");
      raw_.run("update orders set state = 'paid' where id = 1");
      raw_.run("insert into orders (state) values ('open')");
      raw_.run("commit");
      return true;
    } catch (const Error&) {
      if (PQtransactionStatus(raw_.handle()) != PQTRANS_IDLE) raw_.run("rollback");
      return false;
    }
  }

 private:
  PostgresRaw raw_;
};

}  // namespace

std::unique_ptr<Application> postgres_application(const std::string& conninfo,
                                                  const std::string& schema) {
  return std::make_unique<PostgresApplication>(conninfo, schema);
}

}  // namespace holdfast::bench
