#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "holdfast/codec.hpp"
#include "holdfast/job.hpp"
#include "holdfast/store.hpp"

struct pg_conn;

namespace holdfast::postgres {

/// Opens a queue in a PostgreSQL database; `conninfo` is libpq's (keywords or a URI). Connects
/// once to check it, and again as needed. Throws Error when it cannot be reached or is not usable.
[[nodiscard]] Store open(const std::string& conninfo, StoreOptions options = {});

struct OutletOptions {
  std::string schema = "holdfast";
  Durability durability = Durability::full;
  /// Put a savepoint around each call, so that an error leaves the caller's transaction usable.
  bool savepoint = false;
};

/// Enqueues on the application's own connection, inside the application's own transaction. Never
/// begins, commits or closes; leaves no statement, setting or lock behind. Borrows `connection`,
/// which must outlive it.
///
/// Belongs to the thread that uses `connection`.
///
/// Errors: Error(misuse) when the connection is in an aborted transaction, busy, in pipeline or in
/// COPY mode; Error(invalid) for values the table would refuse, before anything is written;
/// Error(forked) in a forked child; Error(restart) for serialization failures: roll back and begin
/// again; Error(durability) when synchronous_commit or fsync is off and `relaxed` was not chosen.
class Outlet {
 public:
  explicit Outlet(::pg_conn* connection, OutletOptions options = {});
  ~Outlet();
  Outlet(Outlet&&) noexcept;
  Outlet& operator=(Outlet&&) noexcept;

  Enqueued enqueue(const NewJob& job);
  std::vector<Enqueued> enqueue(std::span<const NewJob> jobs);

  template <Job T>
  Enqueued enqueue(const T& job, EnqueueOptions options = {}) {
    return enqueue(NewJob{std::string(Codec<T>::kind), Codec<T>::encode(job), std::move(options)});
  }

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace holdfast::postgres
