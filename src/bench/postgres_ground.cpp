#include "base/random.hpp"
#include "bench/ground.hpp"
#include "bench/postgres_raw.hpp"
#include "queue/store_state.hpp"

namespace holdfast::bench {

namespace {

class PostgresGround : public Ground {
 public:
  explicit PostgresGround(std::string conninfo)
      : conninfo_(std::move(conninfo)),
        schema_("holdfast_bench_" + base::random_id().substr(0, 12)) {
    PostgresRaw raw(conninfo_);
    create(raw);  // refuses a name that is taken; from here on it is ours
    made_ = true;
  }
  ~PostgresGround() override {
    try {
      if (made_) drop();
    } catch (const std::exception&) {
      // The server is gone. docs/cli.md says how to remove what it may still have.
    }
  }
  PostgresGround(const PostgresGround&) = delete;
  PostgresGround& operator=(const PostgresGround&) = delete;

  [[nodiscard]] Dialect dialect() const override { return Dialect::postgres; }

  Address fresh_queue() override {
    Address address = fresh_floor();
    open(address).migrate();
    return address;
  }

  Address fresh_floor() override {
    PostgresRaw raw(conninfo_);
    drop(raw);
    create(raw);
    return {Dialect::postgres, conninfo_, schema_};
  }

  void settle_down(const Store& store) override {
    store.state()->with_connection([&](db::Connection& connection) {
      connection.execute("vacuum analyze \"" + schema_ + "\".jobs", {}, [](const Row&) {});
    });
  }

 private:
  void create(PostgresRaw& raw) const { raw.run(("create schema \"" + schema_ + '"').c_str()); }
  void drop(PostgresRaw& raw) const {
    raw.run(("drop schema if exists \"" + schema_ + "\" cascade").c_str());
  }
  void drop() const {
    PostgresRaw raw(conninfo_);
    drop(raw);
  }

  std::string conninfo_;
  std::string schema_;
  bool made_ = false;
};

}  // namespace

std::unique_ptr<Ground> postgres_ground(const std::string& conninfo) {
  return std::make_unique<PostgresGround>(conninfo);
}

}  // namespace holdfast::bench
