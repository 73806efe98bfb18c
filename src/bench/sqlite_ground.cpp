#include <cstdlib>
#include <filesystem>

#include "bench/ground.hpp"
#include "holdfast/error.hpp"

namespace holdfast::bench {

namespace {

class SqliteGround : public Ground {
 public:
  explicit SqliteGround(const std::string& directory)
      : path_((std::filesystem::path(directory) / "holdfast-bench-XXXXXX").string()) {
    if (::mkdtemp(path_.data()) == nullptr) {
      throw Error(Code::storage, "a directory cannot be made in " +
                                     (directory.empty() ? std::string(".") : directory));
    }
  }
  ~SqliteGround() override { remove(path_); }
  SqliteGround(const SqliteGround&) = delete;
  SqliteGround& operator=(const SqliteGround&) = delete;

  [[nodiscard]] Dialect dialect() const override { return Dialect::sqlite; }

  Address fresh_queue() override {
    Address address = fresh("queue.db");
    open(address).migrate();
    return address;
  }

  Address fresh_floor() override { return fresh("floor.db"); }

  void settle_down(const Store&) override {}

 private:
  static void remove(const std::filesystem::path& path) noexcept {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }

  Address fresh(const std::string& name) {
    for (const char* part : {"", "-wal", "-shm"})
      remove(std::filesystem::path(path_) / (name + part));
    return {Dialect::sqlite, (std::filesystem::path(path_) / name).string()};
  }

  std::string path_;
};

}  // namespace

std::unique_ptr<Ground> sqlite_ground(const std::string& directory) {
  return std::make_unique<SqliteGround>(directory);
}

}  // namespace holdfast::bench
