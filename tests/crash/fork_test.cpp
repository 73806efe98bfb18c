#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include "crash/both_databases.hpp"
#include "crash/oracle.hpp"
#include "holdfast/error.hpp"

namespace holdfast::test {
namespace {

using testing::IsEmpty;

constexpr int rounds = 200;
constexpr int refused = 42;  ///< exit code of a child whose every call was refused as forked

/// What a child does with what it inherited.
enum class Child { uses, destroys, executes, crashes };

template <class Call>
bool is_refused(Call call) {
  try {
    call();
    return false;
  } catch (const Error& error) {
    return error.code() == Code::forked;
  }
}

class Fork : public OnBothDatabases {
 protected:
  Fork() : store_(open_store(database())) {}

  JobId enqueue() { return store_->enqueue(NewJob{"plain", "parent", {}}).id; }
  JobId enqueue_outside() { return application().enqueue(NewJob{"plain", "parent", {}}).id; }

  /// Runs in the child; never returns.
  [[noreturn]] void play(Child what) {
    if (what == Child::executes) ::execl("/bin/true", "true", nullptr);
    if (what == Child::crashes) {
      const rlimit no_core{0, 0};
      ::setrlimit(RLIMIT_CORE, &no_core);
      std::abort();
    }
    const bool all_refused = is_refused([&] { enqueue(); }) &&
                             is_refused([&] { enqueue_outside(); }) &&
                             is_refused([&] { static_cast<void>(store_->stats()); });
    if (what == Child::destroys) {
      store_.reset();
      release_application();
    }
    ::_exit(all_refused ? refused : 1);
  }

  /// Forks, lets the child play, and says how it ended, as waitpid does.
  int round(Child what) {
    std::fflush(nullptr);
    const pid_t child = ::fork();
    if (child == 0) play(what);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
  }

 private:
  std::optional<Store> store_;
};

INSTANTIATE_TEST_SUITE_P(, Fork, testing::ValuesIn(databases()), name_of);

TEST_P(Fork, child_touches_nothing_and_parent_goes_on) {
  std::int64_t enqueued = 0;
  for (int i = 0; i < rounds; ++i) {
    const auto what = static_cast<Child>(i % 4);
    enqueue();
    enqueue_outside();
    const int status = round(what);
    if (what == Child::crashes) {
      ASSERT_TRUE(WIFSIGNALED(status));
    } else {
      ASSERT_EQ(WEXITSTATUS(status), what == Child::executes ? 0 : refused) << "round " << i;
    }
    enqueue();
    enqueue_outside();
    enqueued += 4;
  }
  EXPECT_EQ(application().number("select count(*) from " + application().queue("jobs")), enqueued);
  if (GetParam() == Dialect::sqlite) {
    EXPECT_THAT(storage_faults(application(), GetParam()), IsEmpty());
  }
}

}  // namespace
}  // namespace holdfast::test
