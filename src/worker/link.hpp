#pragma once

#include <memory>
#include <optional>
#include <string>

#include "db/connection.hpp"
#include "holdfast/error.hpp"
#include "worker/steady.hpp"

namespace holdfast::worker {

struct Context;

/// The connection of one of the worker's own threads, which is the only one to use it. Opened again
/// when it ended, with pauses that grow; a trouble is logged when it begins, once a minute, and
/// when it is over.
class Link {
 public:
  /// `user` names the thread in the log.
  Link(Context& context, db::Lane lane, std::string user, Duration pause_max);

  /// The connection, usable as far as is known; null while it is to be left alone.
  [[nodiscard]] db::Connection* ready();

  /// How often the connection was opened: when this grows, what was made on it before is gone.
  [[nodiscard]] int openings() const noexcept { return openings_; }

  /// When ready() is worth calling again; in the past unless something failed.
  [[nodiscard]] Steady retry_at() const noexcept { return retry_at_; }

  /// An operation failed: leave the database alone for a while. An error that waiting does not mend
  /// (schema, damage) ends the worker.
  void failed(const Error& error);

  /// An operation succeeded.
  void worked();

 private:
  void report(const Error& error);

  Context& context_;
  const db::Lane lane_;
  const std::string user_;
  const Duration pause_max_;
  std::unique_ptr<db::Connection> connection_;
  int openings_ = 0;
  Steady retry_at_{};
  Duration pause_{};
  std::optional<Code> trouble_;
  Steady reported_{};
};

/// True for errors about the database as a whole: no other row would fare better.
[[nodiscard]] bool concerns_database(Code code);

}  // namespace holdfast::worker
