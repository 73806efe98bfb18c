#ifdef HOLDFAST_WITH_POSTGRES
#include "support/postgres_server.hpp"

#include <arpa/inet.h>
#include <libpq-fe.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace holdfast::test {

namespace {

constexpr auto start_timeout = std::chrono::seconds(30);

/// Where the server programs are: Debian keeps them out of the path, by version.
std::string programs() {
  std::string newest;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/usr/lib/postgresql", ignored)) {
    const auto bin = entry.path() / "bin";
    if (std::filesystem::exists(bin / "initdb") && bin.string() > newest) newest = bin.string();
  }
  for (const char* bin : {"/usr/bin", "/usr/local/bin", "/usr/local/pgsql/bin"}) {
    if (newest.empty() && std::filesystem::exists(std::string(bin) + "/initdb")) newest = bin;
  }
  if (newest.empty()) throw std::runtime_error("PostgreSQL's server programs are not installed");
  return newest;
}

/// A port that nobody listens on now. Somebody may take it before the server does; then it says so.
int free_port() {
  const int probe = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  const bool bound = ::bind(probe, generic, length) == 0;
  ::getsockname(probe, generic, &length);
  ::close(probe);
  if (!bound) throw std::runtime_error("no free port");
  return ntohs(address.sin_port);
}

std::string end_of(const std::string& file) {
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  const std::string all = text.str();
  return all.size() > 2000 ? all.substr(all.size() - 2000) : all;
}

}  // namespace

PostgresServer::PostgresServer(PostgresServerOptions options)
    : options_(std::move(options)), directory_("pg", options_.medium) {
  if (options_.loopback) port_ = free_port();
  initialise();
  start();
}

/// Does nothing in a forked child, where the process counts as not running.
PostgresServer::~PostgresServer() {
  if (process_ && process_->running()) stop(Stop::immediate);
}

void PostgresServer::initialise() {
  UnprivilegedProcess initdb({programs() + "/initdb", "-D", directory_ / "data", "--no-sync", "-A",
                              "trust", "-U", "postgres", "-E", options_.encoding, "--locale=C"},
                             directory_ / "log");
  if (initdb.wait() != 0) give_up("initdb failed");
}

/// A backend that was born during the crash ends by itself, and a new server refuses to start
/// beside it: it is tried again until then.
void PostgresServer::start() {
  const auto give_up_at = std::chrono::steady_clock::now() + start_timeout;
  launch();
  while (!came_up()) {
    if (std::chrono::steady_clock::now() > give_up_at) give_up("PostgreSQL does not come up");
    if (!process_->running()) {
      if (!crashed_) give_up("PostgreSQL ended while it started");
      launch();
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  crashed_ = false;
}

void PostgresServer::launch() {
  std::vector<std::string> settings = {
      options_.loopback ? "listen_addresses=127.0.0.1" : "listen_addresses=",
      "unix_socket_directories=" + directory_.path(),
      "port=" + std::to_string(port_),
      "dynamic_shared_memory_type=mmap",  // in the data directory, so that a crash leaves nothing
      "shared_buffers=16MB",
      "max_wal_size=256MB",
      "max_connections=60"};
  settings.insert(settings.end(), options_.settings.begin(), options_.settings.end());
  std::vector<std::string> command = {programs() + "/postgres", "-D", directory_ / "data"};
  for (const auto& setting : settings) {
    command.emplace_back("-c");
    command.push_back(setting);
  }
  process_ = std::make_unique<UnprivilegedProcess>(command, directory_ / "log");
}

bool PostgresServer::came_up() { return PQping(conninfo().c_str()) == PQPING_OK; }

void PostgresServer::stop(Stop how) {
  process_->signal(how == Stop::fast ? SIGINT : SIGQUIT);
  process_->wait();
}

void PostgresServer::crash() {
  crashed_ = true;
  process_->kill_with_children();
}

std::string PostgresServer::conninfo(const std::string& database) const {
  return "host=" + directory_.path() + " port=" + std::to_string(port_) +
         " user=postgres dbname=" + database;
}

std::string PostgresServer::loopback_conninfo(const std::string& database) const {
  return "host=127.0.0.1 port=" + std::to_string(port_) + " user=postgres dbname=" + database;
}

std::string PostgresServer::socket_path() const {
  return directory_ / (".s.PGSQL." + std::to_string(port_));
}

void PostgresServer::execute(const std::string& sql, const std::string& database) const {
  const std::unique_ptr<PGconn, decltype(&PQfinish)> connection(
      PQconnectdb(conninfo(database).c_str()), &PQfinish);
  const std::unique_ptr<PGresult, decltype(&PQclear)> result(PQexec(connection.get(), sql.c_str()),
                                                             &PQclear);
  const auto status = PQresultStatus(result.get());
  if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) {
    throw std::runtime_error(sql + ": " + PQerrorMessage(connection.get()));
  }
}

void PostgresServer::give_up(const std::string& what) const {
  throw std::runtime_error(what + ":\n" + end_of(directory_ / "log"));
}

PostgresServer& shared_postgres() {
  static PostgresServer server;
  return server;
}

FreshPostgres::FreshPostgres(const PostgresServer& server) : server_(server) {
  static std::atomic<int> made{0};
  name_ = "test_" + std::to_string(++made);
  server_.execute("create database " + name_);
}

FreshPostgres::~FreshPostgres() {
  try {
    server_.execute("drop database " + name_ + " with (force)");
  } catch (const std::exception&) {
    // The test has stopped the server; the database goes with its directory.
  }
}

}  // namespace holdfast::test
#endif
