#include <minima/nn/layers/pooling.h>
#include <minima/nn/layers/fractional_pool.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/view/view.h>

#include <gtest/gtest.h>

namespace minima::nn::pooling_test {
namespace {

/// One 4 × 4 image with the values 0 … 15.
Tensor counted() { return reshape(arange(16, {.dtype = float32}), {1, 1, 4, 4}); }

TEST(MaxPool2d, TakesTheLargestOfEveryWindow) {
  MaxPool2d pool({.kernel = 2});
  EXPECT_EQ(pool(counted()).to_vector<float>(), (std::vector<float>{5, 7, 13, 15}));
}

TEST(AvgPool2d, TakesTheMeanOfEveryWindow) {
  AvgPool2d pool({.kernel = 2});
  EXPECT_EQ(pool(counted()).to_vector<float>(), (std::vector<float>{2.5f, 4.5f, 10.5f, 12.5f}));
}

TEST(AdaptiveAvgPool2d, DividesThePlaneIntoItsSize) {
  AdaptiveAvgPool2d whole(1);
  EXPECT_EQ(whole(counted()).shape(), (Shape{1, 1, 1, 1}));
  EXPECT_EQ(whole(counted()).item<float>(), 7.5f);
}

TEST(MaxPoolLayers, TellPositions) {
  using Places = std::vector<std::int64_t>;
  const Tensor x = -counted();
  const auto [values, indices] = MaxPool2d({.kernel = 2}).with_indices(x);
  EXPECT_EQ(values.to_vector<float>(), (std::vector<float>{0, -2, -8, -10}));
  EXPECT_EQ(indices.to_vector<std::int64_t>(), (Places{0, 2, 8, 10}));
  EXPECT_EQ(MaxPool1d({.kernel = 2}).with_indices(x[0]).indices.to_vector<std::int64_t>(),
            (Places{0, 2, 0, 2, 0, 2, 0, 2}));
  EXPECT_EQ(AdaptiveMaxPool1d(2).with_indices(x[0][0]).indices.to_vector<std::int64_t>(),
            (Places{0, 2, 0, 2, 0, 2, 0, 2}));
  EXPECT_EQ(AdaptiveMaxPool2d(3).with_indices(counted()).indices.to_vector<std::int64_t>(),
            (Places{5, 6, 7, 9, 10, 11, 13, 14, 15}));
  const Tensor volume = unsqueeze(counted(), 2);
  EXPECT_EQ(MaxPool3d({.kernel = {1, 2, 2}}).with_indices(volume).indices.to_vector<std::int64_t>(),
            (Places{5, 7, 13, 15}));
  EXPECT_EQ(AdaptiveMaxPool3d({1, 2, 2}).with_indices(volume).indices.to_vector<std::int64_t>(),
            (Places{5, 7, 13, 15}));
  EXPECT_EQ(FractionalMaxPool2d({.kernel = 2, .size = 2}).with_indices(counted()).indices.shape(), (Shape{1, 1, 2, 2}));
}

}  // namespace
}  // namespace minima::nn::pooling_test
