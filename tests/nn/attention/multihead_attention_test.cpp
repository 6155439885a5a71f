#include <minima/nn/attention/multihead_attention.h>

#include "tests/nn/attention/fixture.h"
#include "tests/support/expect_error.h"

#include <minima/amp/autocast.h>
#include <minima/autograd/backward.h>
#include <minima/nn/clone.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/creation/random.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/reduce/extreme.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace minima::nn::multihead_attention_test {
namespace {

using test::expect_error;

/// Runs a recorded case: the options and the call are PyTorch's.
void follow(const std::string& name, MultiheadAttentionOptions options, MultiheadAttentionCall call = {}) {
  options.embed_dim = 8, options.num_heads = 2;
  test::AttentionFixture fixture(name);
  const Tensor q = fixture.input("q");
  Tensor k = fixture.input("k"), v = fixture.input("v");
  if (!k.defined()) k = q;
  if (!v.defined()) v = k;
  MultiheadAttention attention(options);
  fixture.start(attention);
  call.attn_mask = fixture.mask("attn_mask"), call.key_padding_mask = fixture.mask("key_padding_mask");
  const auto [y, weights] = attention(q, k, v, call);
  EXPECT_EQ(weights.defined(), call.need_weights);
  if (weights.defined()) fixture.check({{"y", y}, {"weights", weights}});
  else fixture.check({{"y", y}});
}

TEST(MultiheadAttention, FollowsPyTorch) {
  follow("self", {});
  follow("self_fast", {.batch_first = true}, {.need_weights = false});
  follow("causal", {.batch_first = true}, {.need_weights = false, .is_causal = true});
  follow("causal_weights", {}, {.is_causal = true});
  follow("sizes", {.kdim = 5, .vdim = 6, .batch_first = true}, {.average_attn_weights = false});
  follow("shared", {.bias = false}, {.need_weights = false});
  follow("unbatched", {});
}

TEST(MultiheadAttention, FollowsPyTorchWithMasks) {
  follow("bool_masks", {}, {.need_weights = false});
  follow("mixed_masks", {});
  follow("mask_of_heads", {.batch_first = true}, {.need_weights = false});
  follow("appended", {.add_bias_kv = true, .add_zero_attn = true});
  follow("zero_key", {.add_zero_attn = true}, {.need_weights = false});
  follow("hidden_row", {}, {.need_weights = false});
}

struct Small {
  MultiheadAttention attention{{.embed_dim = 8, .num_heads = 2, .add_bias_kv = false, .batch_first = true}};
  Tensor x = randn({2, 4, 8});
  Tensor padding = tensor({{0, 0, 0, 1}, {1, 1, 1, 1}}).to(boolean);
};

/// Both paths, with every combination of kinds of masks, give the same.
TEST(MultiheadAttention, WeightsDoNotChangeTheResult) {
  for (const bool appended : {false, true}) {
    MultiheadAttention attention({.embed_dim = 8, .num_heads = 2, .add_bias_kv = appended, .batch_first = true});
    const Small small;
    for (const Tensor& mask : {Tensor(), randn({4, 4}), randn({4, 4}) > 0.5, randn({4, 4, 4})})
      for (const Tensor& padding : {Tensor(), small.padding, randn({2, 4})})
        for (const bool causal : {false, true}) {
          MultiheadAttentionCall call{.key_padding_mask = padding, .attn_mask = mask, .is_causal = causal};
          const auto [slow, weights] = attention(small.x, small.x, small.x, call);
          call.need_weights = false;
          const Tensor fast = attention(small.x, small.x, small.x, call).y;
          EXPECT_TRUE(allclose(fast.detach(), slow.detach(), {.rtol = 1e-4, .atol = 1e-5}))
              << appended << (mask.defined() ? mask.rank() : 0) << padding.defined() << causal;
        }
  }
}

TEST(MultiheadAttention, AHiddenQueryGetsZeroWeightsAndNoGradient) {
  Small small;
  const Tensor x = clone(small.x).requires_grad(true);
  for (const bool need_weights : {true, false}) {
    const auto [y, weights] = small.attention(
        x, x, x, MultiheadAttentionCall{.key_padding_mask = small.padding, .need_weights = need_weights});
    EXPECT_TRUE(identical(select(y, 0, 1).detach(), expand(small.attention.out_proj.bias, {4, 8}).detach()));
    if (need_weights) {
      EXPECT_EQ(sum(select(weights, 0, 1)).item<float>(), 0);
      EXPECT_NEAR(sum(select(weights, 0, 0)).item<float>(), 4, 1e-5);
    }
    const Tensor g = grad({sum(y * y)}, {x})[0];
    EXPECT_EQ(sum(abs(select(g, 0, 1))).item<float>(), 0);
    EXPECT_GT(sum(abs(select(g, 0, 0))).item<float>(), 0);
  }
}

TEST(MultiheadAttention, ALearnedMaskGetsItsGradient) {
  Small small;
  const Tensor bias = randn({4, 4}).requires_grad(true);
  std::vector<Tensor> gradients;
  for (const bool need_weights : {true, false}) {
    const Tensor y = small
                         .attention(small.x, small.x, small.x,
                                    MultiheadAttentionCall{.need_weights = need_weights, .attn_mask = bias})
                         .y;
    gradients.push_back(grad({sum(y * y)}, {bias})[0]);
  }
  EXPECT_TRUE(allclose(gradients[0], gradients[1], {.rtol = 1e-3, .atol = 1e-5}));
  EXPECT_GT(sum(abs(gradients[0])).item<float>(), 0);
}

TEST(MultiheadAttention, DropoutIsInTrainingOnly) {
  MultiheadAttention attention({.embed_dim = 8, .num_heads = 2, .dropout = 0.5});
  const Tensor x = randn({6, 2, 8});
  for (const bool need_weights : {true, false}) {
    const auto run = [&] {
      return attention(x, x, x, MultiheadAttentionCall{.need_weights = need_weights}).y.detach();
    };
    attention.train();
    EXPECT_FALSE(allclose(run(), run()));
    attention.eval();
    EXPECT_TRUE(identical(run(), run()));
  }
}

TEST(MultiheadAttention, AutocastComputesInTheLowerPrecision) {
  Small small;
  const Tensor exact = small.attention(small.x, small.x, small.x).y;
  const amp::Autocast guard(DeviceType::cpu, {.dtype = DType::bfloat16});
  for (const bool need_weights : {true, false}) {
    const auto [y, weights] =
        small.attention(small.x, small.x, small.x, MultiheadAttentionCall{.need_weights = need_weights});
    EXPECT_EQ(y.dtype(), DType::bfloat16);
    EXPECT_TRUE(!need_weights || weights.dtype() == DType::float32);
    EXPECT_TRUE(allclose(y.detach().to(DType::float32), exact.detach(), {.rtol = 5e-2, .atol = 5e-2}));
  }
}

TEST(MultiheadAttention, StartsFromPyTorchsDistributions) {
  const MultiheadAttention attention({.embed_dim = 64, .num_heads = 2, .add_bias_kv = true});
  const double bound = std::sqrt(6.0 / (64 + 192));
  EXPECT_LE(amax(abs(attention.in_proj_weight)).item<float>(), bound);
  EXPECT_GT(amax(abs(attention.in_proj_weight)).item<float>(), 0.98 * bound);
  EXPECT_EQ(sum(abs(attention.in_proj_bias)).item<float>(), 0);
  EXPECT_EQ(sum(abs(attention.out_proj.bias)).item<float>(), 0);
  EXPECT_LE(amax(abs(attention.out_proj.weight)).item<float>(), 0.125);
  EXPECT_EQ(attention.bias_k.shape(), Shape({1, 1, 64}));
}

TEST(MultiheadAttention, RefusesBadOptionsAndCalls) {
  expect_error<ValueError>([] { MultiheadAttention({.embed_dim = 0}); },
                           "MultiheadAttention: embed_dim must be at least 1, not 0");
  expect_error<ValueError>([] { MultiheadAttention({.embed_dim = 8, .num_heads = 3}); },
                           "MultiheadAttention: num_heads = 3 must divide embed_dim = 8");
  expect_error<ValueError>([] { MultiheadAttention({.embed_dim = 8, .dropout = 1}); },
                           "MultiheadAttention: dropout must be at least 0 and below 1, got 1");
  MultiheadAttention attention({.embed_dim = 4, .num_heads = 2});
  const Tensor x = zeros({3, 2, 4});
  expect_error<ShapeError>([&] { attention(x, select(x, 1, 0), x); },
                           "MultiheadAttention: needs three tensors of rank 3, or 2 without a batch; query float32 "
                           "[3, 2, 4], key float32 [3, 4], value float32 [3, 2, 4]");
  expect_error<ShapeError>([&] { attention(x, x, zeros({3, 2, 5})); },
                           "MultiheadAttention: query, key and value must have 4, 4 and 4 features; query float32 "
                           "[3, 2, 4], key float32 [3, 2, 4], value float32 [3, 2, 5]");
  expect_error<ShapeError>([&] { attention(x, x, zeros({4, 2, 4})); },
                           "MultiheadAttention: batches of all, and lengths of key and value must be equal; query "
                           "float32 [3, 2, 4], key float32 [3, 2, 4], value float32 [4, 2, 4]");
  expect_error<ShapeError>([&] { attention(x, x, x, MultiheadAttentionCall{.attn_mask = zeros({2, 3})}); },
                           "MultiheadAttention: attn_mask must be [3, 3] or [4, 3, 3], got float32 [2, 3]");
  expect_error<ShapeError>([&] { attention(x, x, x, MultiheadAttentionCall{.key_padding_mask = zeros({3, 2})}); },
                           "MultiheadAttention: key_padding_mask must be [2, 3], got float32 [3, 2]");
  expect_error<DTypeError>(
      [&] { attention(x, x, x, MultiheadAttentionCall{.attn_mask = zeros({3, 3}, {.dtype = int64})}); },
      "MultiheadAttention: masks must be bool or floating, got int64 [3, 3]");
}

}  // namespace
}  // namespace minima::nn::multihead_attention_test
