#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/codec.hpp"
#include "holdfast/job.hpp"
#include "holdfast/store.hpp"

struct sqlite3;

namespace holdfast::sqlite {

/// Opens a queue in a database file (made if missing; it stays empty until Store::migrate).
/// ":memory:" gives a private in-memory queue that lives as long as the store.
/// Throws Error when the file cannot be opened, is no database, or cannot be made durable.
[[nodiscard]] Store open(const std::string& path, StoreOptions options = {});

/// Version of the SQLite that this program runs with, such as "3.40.1".
[[nodiscard]] std::string_view library_version() noexcept;

struct OutletOptions {
  std::string schema = "holdfast";
  Durability durability = Durability::full;
};

/// Enqueues on the application's own connection, inside the application's own transaction. Never
/// begins, commits or closes. Borrows `db`, which must outlive it; belongs to the thread that
/// uses `db`. Each call is a few statements: in a transaction of the caller they are part of it,
/// without one each is durable when the call returns.
///
/// Errors: Error(durability) at construction if `db` would lose commits in a power loss
/// (synchronous below FULL, or not WAL) and `relaxed` was not chosen; Error(restart) when the
/// caller's transaction read an older snapshot and must be begun again; Error(invalid) for values
/// the table would refuse, before anything is written; Error(forked) in a forked child.
class Outlet {
 public:
  explicit Outlet(::sqlite3* db, OutletOptions options = {});
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

}  // namespace holdfast::sqlite
