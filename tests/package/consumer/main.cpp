// Enqueues one job into a queue in memory and finds it again.

#include <holdfast/holdfast.hpp>
#include <holdfast/sqlite.hpp>
#include <iostream>

#ifdef CONSUMER_WITH_POSTGRES
#include <holdfast/postgres.hpp>
#endif

namespace {

bool enqueued_job_is_found() {
  const holdfast::Store store = holdfast::sqlite::open(":memory:");
  store.migrate();
  const auto enqueued = store.enqueue(holdfast::NewJob{"greet", "hello", {.queue = "mail"}});
  const auto job = store.find(enqueued.id);
  return job && job->kind == "greet" && job->payload == "hello" && job->queue == "mail";
}

// That it is linked: nobody listens there.
bool unreachable_server_is_an_error() {
#ifdef CONSUMER_WITH_POSTGRES
  try {
    (void)holdfast::postgres::open("host=/nonexistent dbname=nothing connect_timeout=2");
    return false;
  } catch (const holdfast::Error& error) {
    return error.code() == holdfast::Code::disconnected;
  }
#else
  return true;
#endif
}

}  // namespace

int main() {
  if (!enqueued_job_is_found() || !unreachable_server_is_an_error()) {
    std::cerr << "consumer: not what was expected\n";
    return 1;
  }
  return 0;
}
