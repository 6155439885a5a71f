#include <minima/io/text/columns.h>

#include <gtest/gtest.h>

namespace minima::columns_test {
namespace {

TEST(Columns, FillAndCut) {
  EXPECT_EQ(column("ab", 4), "ab  ");
  EXPECT_EQ(column("ab", 4, true), "  ab");
  EXPECT_EQ(column("abcd", 4), "abcd");
  EXPECT_EQ(column("abcde", 4), "abc~");
}

TEST(Columns, NumbersHaveFixedDecimals) {
  EXPECT_EQ(fixed(1.25, 1), "1.2");
  EXPECT_EQ(fixed(-3, 2), "-3.00");
  EXPECT_EQ(fixed(1e300, 0).size(), 301u);
}

}  // namespace
}  // namespace minima::columns_test
