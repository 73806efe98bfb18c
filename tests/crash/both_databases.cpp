#include "crash/both_databases.hpp"

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <thread>

#ifdef HOLDFAST_WITH_POSTGRES
#include "support/postgres_server.hpp"
#endif

namespace holdfast::test {

#ifndef HOLDFAST_WITH_POSTGRES
class FreshPostgres {};
#endif

OnBothDatabases::OnBothDatabases()
    : directory_((std::filesystem::temp_directory_path() / "holdfast-crash.XXXXXX").string()) {
  if (::mkdtemp(directory_.data()) == nullptr) throw std::runtime_error("mkdtemp " + directory_);
  database_ = "sqlite:" + directory_ + "/queue.db";
#ifdef HOLDFAST_WITH_POSTGRES
  if (GetParam() == Dialect::postgres) {
    postgres_ = std::make_unique<FreshPostgres>();
    database_ = "postgres:" + postgres_->conninfo();
  }
#endif
  open_store(database_).migrate();
  application_ = open_application(database_);
  application_->create_tables();
}

OnBothDatabases::~OnBothDatabases() {
  application_.reset();
  // What a failed test leaves behind is what explains it.
  if (!HasFailure()) std::filesystem::remove_all(directory_);
}

AgentOptions OnBothDatabases::worker(const std::string& name) const {
  return {.role = "work", .database = database_, .directory = directory_, .name = name};
}

bool eventually(const std::function<bool()>& is_so, std::chrono::milliseconds limit) {
  const auto give_up = std::chrono::steady_clock::now() + limit;
  while (!is_so()) {
    if (std::chrono::steady_clock::now() >= give_up) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

std::vector<Dialect> databases() {
#ifdef HOLDFAST_WITH_POSTGRES
  return {Dialect::sqlite, Dialect::postgres};
#else
  return {Dialect::sqlite};
#endif
}

std::string name_of(const testing::TestParamInfo<Dialect>& database) {
  return database.param == Dialect::sqlite ? "sqlite" : "postgres";
}

}  // namespace holdfast::test
