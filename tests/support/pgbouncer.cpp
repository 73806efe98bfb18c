#ifdef HOLDFAST_WITH_POSTGRES
#include "support/pgbouncer.hpp"

#include <libpq-fe.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>

namespace holdfast::test {

namespace {

std::string program() {
  for (const char* path :
       {"/usr/sbin/pgbouncer", "/usr/bin/pgbouncer", "/usr/local/bin/pgbouncer"}) {
    if (std::filesystem::exists(path)) return path;
  }
  throw std::runtime_error("pgbouncer is not installed");
}

}  // namespace

PgBouncer::PgBouncer(const PostgresServer& server, int pool_size) : directory_("pgbouncer") {
  write_configuration(server, pool_size);
  process_ = std::make_unique<UnprivilegedProcess>(
      std::vector<std::string>{program(), directory_ / "pgbouncer.ini"}, directory_ / "log");
  wait_until_ready();
}

std::string PgBouncer::conninfo(const std::string& database) const {
  return "host=" + directory_.path() + " port=6432 user=postgres dbname=" + database;
}

void PgBouncer::write_configuration(const PostgresServer& server, int pool_size) const {
  std::ofstream(directory_ / "users.txt") << "\"postgres\" \"\"\n";
  std::ofstream(directory_ / "pgbouncer.ini")
      << "[databases]\n* = "
      << "host=" << server.socket_directory() << " port=" << server.port() << "\n"
      << "[pgbouncer]\nlisten_port = 6432\nunix_socket_dir = " << directory_.path() << "\n"
      << "auth_type = trust\nauth_file = " << directory_ / "users.txt"
      << "\n"
      << "pool_mode = transaction\nmax_client_conn = 200\ndefault_pool_size = " << pool_size
      << "\n";
}

void PgBouncer::wait_until_ready() {
  const auto give_up_at = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (PQping(conninfo().c_str()) != PQPING_OK) {
    if (!process_->running()) throw std::runtime_error("pgbouncer ended while it started");
    if (std::chrono::steady_clock::now() > give_up_at) {
      throw std::runtime_error("pgbouncer does not come up");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

}  // namespace holdfast::test
#endif
