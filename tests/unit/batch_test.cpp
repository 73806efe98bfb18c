#include <gtest/gtest.h>

#include "holdfast/session.hpp"
#include "support/thrown.hpp"

namespace holdfast {
namespace {

TEST(Batch, keeps_rows_in_order) {
  Batch batch({Column::integer, Column::text});
  EXPECT_TRUE(batch.empty());
  batch.add({std::int64_t{1}, "one"});
  batch.add({std::int64_t{2}, null});
  ASSERT_EQ(batch.size(), 2U);
  EXPECT_EQ(std::get<std::string_view>(batch.row(0)[1]), "one");
  EXPECT_EQ(std::get<std::int64_t>(batch.row(1)[0]), 2);
}

TEST(Batch, refuses_rows_of_another_width_or_type) {
  Batch batch({Column::integer, Column::real});
  EXPECT_EQ(test::code_thrown_by([&] { batch.add({std::int64_t{1}}); }), Code::misuse);
  EXPECT_EQ(test::code_thrown_by([&] { batch.add({std::int64_t{1}, 1.5, "x"}); }), Code::misuse);
  EXPECT_EQ(test::code_thrown_by([&] { batch.add({"1", 1.5}); }), Code::misuse);
  EXPECT_TRUE(batch.empty());
}

}  // namespace
}  // namespace holdfast
