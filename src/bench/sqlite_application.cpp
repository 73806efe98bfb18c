#include "bench/application.hpp"
#include "bench/sqlite_raw.hpp"
#include "holdfast/error.hpp"

namespace holdfast::bench {

namespace {

class SqliteApplication : public Application {
 public:
  explicit SqliteApplication(const std::string& file) : raw_(file) {
    raw_.run("pragma busy_timeout = 5000");  // of Python's sqlite3 and of better-sqlite3
    raw_.run("create table if not exists orders (id integer primary key, state text not null)");
    raw_.run("insert or ignore into orders values (1, 'open')");
  }

  bool write() override {
    try {
      raw_.run("begin immediate");
      raw_.run("update orders set state = 'paid' where id = 1");
      raw_.run("insert into orders (state) values ('open')");
      raw_.run("commit");
      return true;
    } catch (const Error&) {
      if (sqlite3_get_autocommit(raw_.handle()) == 0) raw_.run("rollback");
      return false;
    }
  }

 private:
  SqliteRaw raw_;
};

}  // namespace

std::unique_ptr<Application> sqlite_application(const std::string& file) {
  return std::make_unique<SqliteApplication>(file);
}

}  // namespace holdfast::bench
