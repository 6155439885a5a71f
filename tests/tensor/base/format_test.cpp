#include <minima/tensor/base/format.h>

#include <minima/tensor/base/error.h>
#include <minima/tensor/tensor.h>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>

namespace minima::format_test {
namespace {

TEST(Format, ConcatenatesTexts) {
  EXPECT_EQ(str("a ", std::string("b"), ' ', 'c'), "a b c");
  EXPECT_EQ(str(), "");
}

TEST(Format, WritesIntegersOfEveryKind) {
  EXPECT_EQ(str(0, " ", -7, " ", std::int8_t{-8}, " ", std::uint8_t{200}), "0 -7 -8 200");
  EXPECT_EQ(str(INT64_MIN, " ", INT64_MAX, " ", UINT64_MAX),
            "-9223372036854775808 9223372036854775807 18446744073709551615");
  EXPECT_EQ(str(true, " ", false), "true false");
}

TEST(Format, WritesTheShortestDecimalThatReadsBack) {
  EXPECT_EQ(str(0.1), "0.1");
  EXPECT_EQ(str(1.0), "1");
  EXPECT_EQ(str(-2.5), "-2.5");
  EXPECT_EQ(str(1e300), "1e+300");
  EXPECT_EQ(str(0.25f), "0.25");
  for (const double value : {1.0 / 3, 5e-324, 1.7976931348623157e308, 123456789.123456789})
    EXPECT_EQ(std::strtod(str(value).c_str(), nullptr), value);
}

TEST(Format, WritesFloatsAsShortAsDoubles) {
  EXPECT_EQ(str(0.1f), "0.1") << "0.10000000149011612 says nothing more";
  EXPECT_EQ(str(3.4e38f), "3.4e+38");
}

TEST(Format, WritesWhatIsNotANumber) {
  EXPECT_EQ(str(std::nan("")), "nan");
  EXPECT_EQ(str(-std::nan("")), "nan");
  EXPECT_EQ(str(std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(str(-std::numeric_limits<double>::infinity()), "-inf");
}

TEST(Format, WritesShapesTypesAndDevices) {
  EXPECT_EQ(str(Shape{}), "[]");
  EXPECT_EQ(str(Shape{3}), "[3]");
  EXPECT_EQ(str(Shape{1, 2, 3, 4, 5, 6, 7}), "[1, 2, 3, 4, 5, 6, 7]");
  EXPECT_EQ(str(boolean, " ", bfloat16), "bool bfloat16");
  EXPECT_EQ(str(Device::cpu(), " ", Device::cuda(3)), "cpu cuda:3");
}

TEST(Format, WritesTensorsByTypeAndShape) {
  EXPECT_EQ(str(empty({2, 3})), "float32 [2, 3]");
  EXPECT_EQ(str(Tensor()), "undefined");
}

TEST(Error, ModulePathGrowsOnTheWayUp) {
  Error error("matmul: inner sizes differ");
  error.add_module("attn");
  error.add_module("3");
  EXPECT_STREQ(error.what(), "module 3.attn: matmul: inner sizes differ");
  error.add_module("encoder");
  error.add_note("recorded by linear");
  EXPECT_STREQ(error.what(), "encoder.3.attn: matmul: inner sizes differ\n  recorded by linear");
}

}  // namespace
}  // namespace minima::format_test
