#include <minima/nn/norm/group_norm.h>
#include <minima/nn/norm/rms_norm.h>

#include <minima/ops/creation/creation.h>
#include <minima/ops/group_norm/group_norm.h>
#include <minima/ops/rms_norm/rms_norm.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

namespace minima::nn::norm_test {
namespace {

void expect_same(Module&& module, const Tensor& x, const Tensor& expected) {
  EXPECT_TRUE(identical(module(x), expected));
}

TEST(GroupNormModule, NormalisesWithWeightAndBias) {
  GroupNorm norm({.groups = 2, .channels = 4});
  const Tensor x = randn({3, 4, 5});
  expect_same(GroupNorm({.groups = 2, .channels = 4}), x, group_norm(x, 2, ones({4}), zeros({4})));
  EXPECT_EQ(norm.parameters().size(), 2U);
  EXPECT_EQ(GroupNorm({.groups = 2, .channels = 4, .affine = false}).parameters().size(), 0U);
  EXPECT_THROW(GroupNorm({.groups = 3, .channels = 4}), ValueError);
}

TEST(RmsNormModule, NormalisesWithWeight) {
  const Tensor x = randn({3, 5});
  expect_same(RMSNorm({.shape = {5}}), x, rms_norm(x, {5}, ones({5})));
  EXPECT_THROW(RMSNorm({}), ValueError);
}

}  // namespace
}  // namespace minima::nn::norm_test
