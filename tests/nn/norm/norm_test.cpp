#include <minima/autograd/backward.h>
#include <minima/nn/norm/batch_norm.h>
#include <minima/nn/norm/group_norm.h>
#include <minima/nn/norm/instance_norm.h>
#include <minima/nn/norm/layer_norm.h>
#include <minima/nn/norm/rms_norm.h>

#include <minima/ops/creation/creation.h>
#include <minima/ops/creation/random.h>
#include <minima/ops/norm/batch_norm.h>
#include <minima/ops/norm/group_norm.h>
#include <minima/ops/norm/instance_norm.h>
#include <minima/ops/norm/rms_norm.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/reduce/sum.h>
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

TEST(Norms, LearnTheWeightOnlyWithoutBias) {
  const auto expect_weight_only = [](const Module& norm) {
    ASSERT_EQ(norm.named_parameters().size(), 1U);
    EXPECT_EQ(norm.named_parameters()[0].name, "weight");
  };
  const Tensor x = randn({3, 4, 5}), w = rand({4});
  BatchNorm1d batch({.features = 4, .bias = false});
  GroupNorm group({.groups = 2, .channels = 4, .bias = false});
  InstanceNorm1d instance({.features = 4, .affine = true, .bias = false});
  for (const Tensor& weight : {batch.weight, group.weight, instance.weight}) weight.set_data(w);
  expect_weight_only(batch), expect_weight_only(group), expect_weight_only(instance);
  expect_weight_only(LayerNorm({.shape = {4}, .bias = false}));
  EXPECT_TRUE(identical(group(x), group_norm(x, 2, w)));
  EXPECT_TRUE(identical(instance(x), instance_norm(x, {}, {}, w)));
  const Tensor y = batch(x);
  EXPECT_TRUE(allclose(y, batch_norm(x, w, zeros({4}), {}, {}, {.training = true}), {1e-5, 1e-6}));
  sum(y * y).backward();
  EXPECT_EQ(batch.weight.grad().shape(), Shape({4}));
  EXPECT_EQ(InstanceNorm1d({.features = 4, .bias = true}).parameters().size(), 0U);
  batch.reset_parameters();
  EXPECT_TRUE(identical(batch.weight, ones({4})));
}

}  // namespace
}  // namespace minima::nn::norm_test
