#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "bench/figures.hpp"
#include "bench/ground.hpp"
#include "bench/postgres_raw.hpp"

namespace holdfast::bench {

/// What an application saw of its own writes. Times in ms.
struct Written {
  std::int64_t writes = 0;
  std::int64_t errors = 0;
  double p50 = 0;
  double p99 = 0;
  double max = 0;
};

/// An application that writes from when it is made until it is told to finish.
class Writer {
 public:
  virtual ~Writer() = default;
  virtual Written finish() = 0;
};

/// A program that says `ready`, writes until its stdin ends, and then prints five numbers.
class ProgramWriter : public Writer {
 public:
  ProgramWriter(const std::string& command, const std::string& file) {
    std::array<int, 2> in{};
    std::array<int, 2> out{};
    if (::pipe(in.data()) != 0 || ::pipe(out.data()) != 0) throw std::runtime_error("no pipe");
    child_ = ::fork();
    if (child_ == 0) {
      ::dup2(in[0], STDIN_FILENO);
      ::dup2(out[1], STDOUT_FILENO);
      for (const int end : {in[0], in[1], out[0], out[1]}) ::close(end);
      ::execl("/bin/sh", "sh", "-c", ("exec " + command + " \"$0\"").c_str(), file.c_str(),
              nullptr);
      ::_exit(127);
    }
    ::close(in[0]);
    ::close(out[1]);
    input_ = in[1];
    output_ = ::fdopen(out[0], "r");
    if (line() != "ready\n") throw std::runtime_error(command + " did not start");
  }
  ~ProgramWriter() override { end(); }
  ProgramWriter(const ProgramWriter&) = delete;
  ProgramWriter& operator=(const ProgramWriter&) = delete;

  Written finish() override {
    ::close(input_);
    input_ = -1;
    std::istringstream numbers(line());
    Written written;
    numbers >> written.writes >> written.errors >> written.p50 >> written.p99 >> written.max;
    if (!numbers) throw std::runtime_error("the application ended without its numbers");
    end();
    return written;
  }

 private:
  std::string line() {
    std::array<char, 256> text{};
    return std::fgets(text.data(), static_cast<int>(text.size()), output_) == nullptr ? ""
                                                                                      : text.data();
  }

  void end() {
    if (input_ >= 0) ::close(input_);
    input_ = -1;
    if (output_ == nullptr) return;
    std::fclose(output_);
    output_ = nullptr;
    ::waitpid(child_, nullptr, 0);
  }

  pid_t child_ = -1;
  int input_ = -1;
  std::FILE* output_ = nullptr;
};

/// An application on PostgreSQL, on a thread and a connection of its own.
class PostgresWriter : public Writer {
 public:
  explicit PostgresWriter(const Address& address) : raw_(address.target) {
    const std::string path = "set search_path to \"" + address.schema + '"';
    for (const char* sql :
         {path.c_str(), "create table orders (id bigserial primary key, state text not null)",
          "insert into orders (state) values ('open')"}) {
      raw_.run(sql);
    }
    thread_ = std::jthread([this](const std::stop_token& stop) { go_on(stop); });
  }

  Written finish() override {
    thread_.request_stop();
    thread_.join();
    return {static_cast<std::int64_t>(times_.size()), errors_, quantile(times_, 0.5),
            quantile(times_, 0.99), quantile(times_, 1)};
  }

 private:
  void go_on(const std::stop_token& stop) {
    Steady due = std::chrono::steady_clock::now();
    while (!stop.stop_requested()) {
      std::this_thread::sleep_until(due += std::chrono::milliseconds(10));
      const Steady begin = std::chrono::steady_clock::now();
      due = std::max(due, begin);
      write();
      times_.push_back(milliseconds_between(begin, std::chrono::steady_clock::now()));
    }
  }

  void write() {
    try {
      raw_.run("begin");
      raw_.run("update orders set state = 'paid' where id = 1");
      raw_.run("insert into orders (state) values ('open')");
      raw_.run("commit");
    } catch (const std::exception&) {
      ++errors_;
    }
  }

  PostgresRaw raw_;
  std::vector<double> times_;  ///< of the thread, until it has ended
  std::int64_t errors_ = 0;    ///< likewise
  std::jthread thread_;
};

inline std::unique_ptr<Writer> program_writer(const std::string& command, const std::string& file) {
  return std::make_unique<ProgramWriter>(command, file);
}

inline std::unique_ptr<Writer> postgres_writer(const Address& address) {
  return std::make_unique<PostgresWriter>(address);
}

}  // namespace holdfast::bench
