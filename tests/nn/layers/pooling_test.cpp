#include <minima/nn/layers/pooling.h>
#include <minima/ops/creation/creation.h>
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

}  // namespace
}  // namespace minima::nn::pooling_test
