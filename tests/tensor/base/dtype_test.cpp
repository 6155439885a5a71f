#include <minima/tensor/base/dtype.h>

#include <minima/tensor/base/scalar.h>

#include <gtest/gtest.h>

#include <string>

namespace minima::dtype_test {
namespace {

constexpr DType all[real_dtype_count] = {boolean, uint8, int8, int32, int64, float16, bfloat16, float32, float64};

// The table of torch.promote_types, except that uint8 with int8 gives int32, since minima has no int16.
TEST(DType, PromotesByPyTorchsTable) {
  constexpr const char* expected[real_dtype_count][real_dtype_count] = {
      {"bool", "uint8", "int8", "int32", "int64", "float16", "bfloat16", "float32", "float64"},
      {"uint8", "uint8", "int32", "int32", "int64", "float16", "bfloat16", "float32", "float64"},
      {"int8", "int32", "int8", "int32", "int64", "float16", "bfloat16", "float32", "float64"},
      {"int32", "int32", "int32", "int32", "int64", "float16", "bfloat16", "float32", "float64"},
      {"int64", "int64", "int64", "int64", "int64", "float16", "bfloat16", "float32", "float64"},
      {"float16", "float16", "float16", "float16", "float16", "float16", "float32", "float32", "float64"},
      {"bfloat16", "bfloat16", "bfloat16", "bfloat16", "bfloat16", "float32", "bfloat16", "float32", "float64"},
      {"float32", "float32", "float32", "float32", "float32", "float32", "float32", "float32", "float64"},
      {"float64", "float64", "float64", "float64", "float64", "float64", "float64", "float64", "float64"},
  };
  for (int a = 0; a < real_dtype_count; ++a)
    for (int b = 0; b < real_dtype_count; ++b)
      EXPECT_STREQ(name(promote(all[a], all[b])), expected[a][b]) << name(all[a]) << " with " << name(all[b]);
}

TEST(DType, ScalarsRaiseTheCategoryButNotTheWidth) {
  for (const DType dtype : all) {
    EXPECT_EQ(promote(dtype, Scalar(true)), dtype);
    EXPECT_EQ(promote(dtype, Scalar(2)), dtype == boolean ? int64 : dtype);
    EXPECT_EQ(promote(dtype, Scalar(2.5)), is_floating(dtype) ? dtype : float32);
  }
}

TEST(DType, KnowsSizesAndCategories) {
  std::size_t sizes = 0;
  int floating = 0, integers = 0, halves = 0;
  for (const DType dtype : all) {
    sizes += size_of(dtype);
    floating += is_floating(dtype);
    integers += is_integer(dtype);
    halves += is_half(dtype);
  }
  EXPECT_EQ(sizes, 1u + 1 + 1 + 4 + 8 + 2 + 2 + 4 + 8);
  EXPECT_EQ(floating, 4);
  EXPECT_EQ(integers, 4);
  EXPECT_EQ(halves, 2);
  EXPECT_FALSE(is_integer(boolean));
}

template <class... T>
void expect_sizes() {
  const bool equal[] = {size_of(dtype_of<T>) == sizeof(T)...};
  for (const bool each : equal) EXPECT_TRUE(each);
}

TEST(DType, SizesAreThoseOfTheElementTypes) {
  expect_sizes<bool, std::uint8_t, std::int8_t, std::int32_t, std::int64_t, Float16, BFloat16, float, double>();
}

TEST(Scalar, KeepsItsKindAndConverts) {
  EXPECT_TRUE(Scalar(1.5f).is_floating());
  EXPECT_FALSE(Scalar(1).is_floating());
  EXPECT_TRUE(Scalar(false).is_boolean());
  EXPECT_EQ(Scalar(2.75).to<int>(), 2);
  EXPECT_EQ(Scalar(-3).to<double>(), -3.0);
  EXPECT_EQ(Scalar(std::int64_t{1} << 62).to<std::int64_t>(), std::int64_t{1} << 62);
  EXPECT_EQ(Scalar(1.5).to<Float16>().bits, Float16(1.5f).bits);
  EXPECT_EQ(Scalar(7).to<BFloat16>().bits, BFloat16(7.0f).bits);
  EXPECT_TRUE(Scalar(0.5).to<bool>());
}

}  // namespace
}  // namespace minima::dtype_test
