#ifdef HOLDFAST_WITH_POSTGRES
#include "support/cutting_proxy.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <stdexcept>
#include <utility>

#include "support/postgres_message.hpp"

namespace holdfast::test {

namespace {

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) throw std::runtime_error("socket path too long");
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return address;
}

int open_socket() { return ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0); }

int listen_on(const std::string& path) {
  const int socket = open_socket();
  const sockaddr_un address = address_of(path);
  if (::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(socket, 64) != 0) {
    throw std::runtime_error("cannot listen on " + path);
  }
  return socket;
}

int connect_to(const std::string& path) {
  const int socket = open_socket();
  const sockaddr_un address = address_of(path);
  if (::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
    return socket;
  }
  ::close(socket);
  return -1;
}

}  // namespace

/// One client, its own connection to the server, and a thread for each direction. Sockets are shut
/// down at a cut and closed at the end, so that no thread ever uses a number that is taken again.
struct CuttingProxy::Link {
  int client;
  int server;
  std::atomic<Cut> commit{Cut::none};  ///< set while a commit is under way
  std::atomic<bool> idle{true};        ///< no transaction is open
  std::thread up;
  std::thread down;

  Link(int client_socket, int server_socket) : client(client_socket), server(server_socket) {}
  ~Link() {
    shut();
    if (up.joinable()) up.join();
    if (down.joinable()) down.join();
    ::close(client);
    ::close(server);
  }
  void shut() const {
    ::shutdown(client, SHUT_RDWR);
    ::shutdown(server, SHUT_RDWR);
  }
};

CuttingProxy::CuttingProxy(const PostgresServer& server)
    : directory_("proxy"), upstream_(server.socket_path()) {
  listener_ = listen_on(directory_ / ".s.PGSQL.5432");
  acceptor_ = std::thread([this] { accept_clients(); });
}

CuttingProxy::~CuttingProxy() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  resumed_.notify_all();
  ::shutdown(listener_, SHUT_RDWR);
  acceptor_.join();
  ::close(listener_);
  links_.clear();
}

std::string CuttingProxy::conninfo(const std::string& database) const {
  return "host=" + directory_.path() + " port=5432 user=postgres dbname=" + database;
}

void CuttingProxy::cut_next_commit(Cut how) {
  const std::lock_guard lock(mutex_);
  next_ = how;
}

void CuttingProxy::cut_commits(Cut how) {
  const std::lock_guard lock(mutex_);
  always_ = how;
}

void CuttingProxy::cut_randomly(double probability, std::uint64_t seed) {
  const std::lock_guard lock(mutex_);
  probability_ = probability;
  random_.seed(seed);
}

void CuttingProxy::stall(Stall which) {
  {
    const std::lock_guard lock(mutex_);
    stalled_ = which;
  }
  resumed_.notify_all();
}

void CuttingProxy::cut_all() {
  const std::lock_guard lock(mutex_);
  for (const auto& link : links_) link->shut();
}

void CuttingProxy::accept_clients() {
  while (true) {
    const int client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0) return;
    const int server = refuses_ ? -1 : connect_to(upstream_);
    if (server < 0) {
      ::close(client);
      continue;
    }
    auto link = std::make_unique<Link>(client, server);
    Link& started = *link;
    const std::lock_guard lock(mutex_);
    links_.push_back(std::move(link));
    started.up = std::thread([this, &started] { to_server(started); });
    started.down = std::thread([this, &started] { to_client(started); });
  }
}

void CuttingProxy::to_server(Link& link) {
  auto message = read_first_message(link.client);
  while (message && message->asks_for_encryption()) {
    if (!write_all(link.client, "N")) break;
    message = read_first_message(link.client);
  }
  LoneInserts lone;
  for (; message; message = read_message(link.client)) {
    wait_while_stalled(Stall::to_server);
    const bool commits_alone = lone.commits(*message, link.idle);
    if (message->is_commit() || commits_alone) {
      const Cut how = decide();
      if (how == Cut::before_commit) return cut(link);
      link.commit = how;
    }
    if (!write_all(link.server, message->bytes)) break;
  }
  link.shut();
}

void CuttingProxy::to_client(Link& link) {
  while (const auto message = read_message(link.server)) {
    wait_while_stalled(Stall::to_client);
    if (link.commit == Cut::before_answer) return cut(link);
    if (message->type == 'Z') link.idle = message->bytes.back() == 'I';
    if (!write_all(link.client, message->bytes)) break;
    if (link.commit == Cut::after_answer && message->type == 'Z') return cut(link);
  }
  link.shut();
}

Cut CuttingProxy::decide() {
  const std::lock_guard lock(mutex_);
  ++commits_;
  if (next_ != Cut::none) return std::exchange(next_, Cut::none);
  if (always_ != Cut::none) return always_;
  if (std::uniform_real_distribution<double>(0, 1)(random_) >= probability_) return Cut::none;
  return static_cast<Cut>(std::uniform_int_distribution<int>(1, 3)(random_));
}

void CuttingProxy::wait_while_stalled(Stall way) {
  std::unique_lock lock(mutex_);
  resumed_.wait(lock, [&] { return closing_ || (stalled_ != way && stalled_ != Stall::both); });
}

void CuttingProxy::cut(Link& link) {
  ++cuts_;
  link.shut();
}

}  // namespace holdfast::test
#endif
