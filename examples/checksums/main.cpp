// Hashes the files of a directory through a durable queue and accounts for every one of them,
// although a worker is killed half way. See README.md.

#include <sys/prctl.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <stdexcept>

#include "enumerate.hpp"
#include "options.hpp"
#include "supervise.hpp"
#include "work.hpp"

namespace {

int play(const checksums::Options& options) {
  if (options.role == "supervise") return checksums::supervise(options);
  // A child does not outlive its supervisor, however that one ends.
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (options.role == "enumerate") return checksums::enumerate(options);
  if (options.role == "work") return checksums::work(options);
  throw std::invalid_argument("--role is supervise, enumerate or work");
}

}  // namespace

int main(int count, char** arguments) {
  try {
    const checksums::Options options = checksums::parse_options(count, arguments);
    if (options.help) {
      std::printf("%s", checksums::usage());
      return 0;
    }
    return play(options);
  } catch (const std::invalid_argument& error) {
    std::fprintf(stderr, "checksums: %s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "checksums: %s\n", error.what());
    return 1;
  }
}
