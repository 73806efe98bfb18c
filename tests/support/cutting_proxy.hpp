#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>

#include "support/postgres_server.hpp"

namespace holdfast::test {

/// Where a connection ends around a COMMIT, or around an insert that commits by itself.
enum class Cut {
  none,
  before_commit,  ///< the server never sees it: not committed
  before_answer,  ///< the server has answered, the client never hears it: committed
  after_answer,   ///< the client has its answer, then the connection ends: committed
};

/// Which way a stalled proxy holds bytes back.
enum class Stall { nothing, to_server, to_client, both };

/// A proxy in front of a private PostgreSQL that reads the protocol, and cuts or stalls connections
/// at exactly the moments that matter. Listens on a unix socket of its own. Controlled from any
/// thread.
class CuttingProxy {
 public:
  explicit CuttingProxy(const PostgresServer& server);
  ~CuttingProxy();
  CuttingProxy(const CuttingProxy&) = delete;
  CuttingProxy& operator=(const CuttingProxy&) = delete;

  [[nodiscard]] std::string conninfo(const std::string& database = "postgres") const;

  /// What happens to the next COMMIT, or to all from now on.
  void cut_next_commit(Cut how);
  void cut_commits(Cut how);

  /// Cuts each COMMIT with this probability, in one of the three ways; the same for the same seed
  /// as long as one connection commits.
  void cut_randomly(double probability, std::uint64_t seed);

  /// Closes new connections at once.
  void refuse_connections(bool refuse) { refuses_ = refuse; }

  void stall(Stall which);
  void cut_all();

  [[nodiscard]] int commits_seen() const { return commits_; }
  [[nodiscard]] int cuts() const { return cuts_; }

 private:
  struct Link;

  void accept_clients();
  void to_server(Link& link);
  void to_client(Link& link);
  [[nodiscard]] Cut decide();
  void wait_while_stalled(Stall way);
  void cut(Link& link);

  ServerDirectory directory_;
  std::string upstream_;
  int listener_ = -1;
  std::atomic<bool> refuses_{false};
  std::atomic<int> commits_{0};
  std::atomic<int> cuts_{0};

  std::mutex mutex_;  // guards what follows
  std::condition_variable resumed_;
  Stall stalled_ = Stall::nothing;
  bool closing_ = false;
  Cut next_ = Cut::none;
  Cut always_ = Cut::none;
  double probability_ = 0;
  std::mt19937_64 random_;
  std::list<std::unique_ptr<Link>> links_;

  std::thread acceptor_;
};

}  // namespace holdfast::test
