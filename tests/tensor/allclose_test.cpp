#include <minima/tensor/allclose.h>

#include <gtest/gtest.h>

#include <cmath>

namespace minima::allclose_test {
namespace {

TEST(Allclose, AcceptsWhatLiesWithinTheTolerance) {
  EXPECT_TRUE(allclose(tensor<float>({1, 1000}), tensor<float>({1.00001f, 1000.001f})));
}

TEST(Allclose, SaysHowManyElementsDifferAndWhereMost) {
  const Closeness result =
      allclose(from_vector<double>({1, 2, 3, 4}, {2, 2}), from_vector<double>({1, 2.5, 3, 1}, {2, 2}));
  EXPECT_FALSE(result);
  EXPECT_NE(result.message.find("2 of 4 elements differ"), std::string::npos) << result.message;
  EXPECT_NE(result.message.find("largest absolute difference 3 at [1, 1] (4 and 1)"), std::string::npos)
      << result.message;
}

TEST(Allclose, TreatsNanAndInfinityAsValues) {
  EXPECT_TRUE(allclose(tensor<float>({NAN, INFINITY}), tensor<float>({NAN, INFINITY})));
  EXPECT_FALSE(allclose(tensor<float>({NAN}), tensor<float>({1})));
  EXPECT_FALSE(allclose(tensor<float>({1}), tensor<float>({NAN})));
  EXPECT_FALSE(allclose(tensor<float>({INFINITY}), tensor<float>({-INFINITY})));
  EXPECT_FALSE(allclose(tensor<float>({INFINITY}), tensor<float>({1e30f})));
}

TEST(Allclose, ComparesShapeAndDtypeFirst) {
  EXPECT_EQ(allclose(tensor<float>({1}), tensor<double>({1})).message, "dtypes differ: float32 and float64");
  EXPECT_EQ(allclose(tensor<float>({1}), tensor<float>({1, 1})).message, "shapes differ: [1] and [2]");
}

TEST(Identical, ComparesBits) {
  EXPECT_TRUE(identical(tensor<float>({1, NAN}), tensor<float>({1, NAN})));
  EXPECT_FALSE(identical(tensor<float>({0.0f}), tensor<float>({-0.0f})));
}

}  // namespace
}  // namespace minima::allclose_test
