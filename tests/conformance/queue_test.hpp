#pragma once

#include <gtest/gtest.h>

#include "support/queue_under_test.hpp"

namespace holdfast::test {

/// The suite that every kind of database must pass.
class QueueTest : public ::testing::TestWithParam<Backend> {
 protected:
  QueueUnderTest q{GetParam()};
};

inline std::string backend_name(const ::testing::TestParamInfo<Backend>& info) {
  return name_of(info.param);
}

inline const auto every_backend =
    ::testing::Values(Backend::memory, Backend::file, Backend::postgres, Backend::memory_faulty,
                      Backend::file_faulty, Backend::postgres_faulty);

}  // namespace holdfast::test
