#include "db/postgres_watch.hpp"

#include <string>
#include <utility>

#include "base/fork.hpp"
#include "db/postgres_error.hpp"
#include "db/postgres_session.hpp"
#include "holdfast/error.hpp"

namespace holdfast::db {

namespace {

struct FreeNotification {
  void operator()(PGnotify* notification) const noexcept { PQfreemem(notification); }
};
using Notification = std::unique_ptr<PGnotify, FreeNotification>;

class PostgresWatch final : public Watch {
 public:
  explicit PostgresWatch(PGconn* borrowed) : connection_(borrowed) {}
  explicit PostgresWatch(PostgresHandle own) : own_(std::move(own)), connection_(own_.get()) {}

  [[nodiscard]] int descriptor() const override { return PQsocket(connection_); }

  [[nodiscard]] Heard listen() override {
    Heard heard;
    const bool alive = PQconsumeInput(connection_) == 1;
    while (const Notification told{PQnotifies(connection_)}) ++heard.news;
    if (alive && PQstatus(connection_) == CONNECTION_OK) return heard;
    throw Error(Code::disconnected,
                "the connection that listens ended: " + one_line(PQerrorMessage(connection_)));
  }

 private:
  PostgresHandle own_{nullptr, FinishConnection{}};
  PGconn* connection_;
};

/// A pooler answers for many servers and gives its clients a process id of its own making.
bool is_direct(PGconn* connection) {
  PostgresSession session(connection);
  std::int64_t server = 0;
  session.execute("select pg_backend_pid()", Params{},
                  [&](const Row& row) { server = row.integer(0); });
  return server == PQbackendPID(connection);
}

}  // namespace

std::unique_ptr<Watch> watch_postgres(PGconn* connection, const Statement& listen) {
  if (!is_direct(connection)) return nullptr;
  PostgresSession(connection).run(listen, Params{}, RowSink{});
  return std::make_unique<PostgresWatch>(connection);
}

std::unique_ptr<Watch> watch_postgres(const PostgresAddress& address, const Statement& listen) {
  PostgresHandle own = address.dial();
  PostgresSession(own.get()).run(listen, Params{}, RowSink{});
  return std::make_unique<PostgresWatch>(std::move(own));
}

}  // namespace holdfast::db
