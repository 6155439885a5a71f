#include "simulated/tests/cudnn/graphs.h"

#include <minima/autograd/backward.h>
#include <minima/ops/attention/attention.h>
#include <minima/ops/cudnn/usage.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/settings.h>
#include <minima/tensor/threads/parallel.h>

#include <limits>

// Attention by cuDNN: what reaches it, and that its results are the CPU's.

namespace minima::attention_operator_test {
namespace {

const Device gpu = Device::cuda(0);

class CudnnAttention : public CudnnOnSimulatedGpus {
 protected:
  void TearDown() override { deterministic(false); }
};

struct Call {
  Shape q, k;
  bool causal = false;
  Tensor mask{};
  double dropout = 0;
  bool packed = false;
  bool grouped = false;
  DType dtype = float16;
};

/// y and the gradients of q, k and v, or of the packed projection.
std::vector<Tensor> attend(const Call& c, Device device) {
  RandomGenerator generator(5), draws(9);
  const auto values = [&](const Shape& shape) {
    return randn(shape, {}, &generator).to(c.dtype).to(device).requires_grad(true);
  };
  const AttentionOptions options{.causal = c.causal,
                                 .mask = c.mask.defined() ? c.mask.to(device) : Tensor(),
                                 .dropout = c.dropout,
                                 .grouped = c.grouped,
                                 .generator = &draws};
  std::vector<Tensor> leaves, results;
  Tensor y;
  if (c.packed) {  // q, k and v are heads [B, H, L, E] cut out of rows of 3 · H · E elements
    const std::int64_t batch = c.q[0], heads = c.q[1], length = c.q[2], width = c.q[3];
    leaves = {values({batch, length, 3, heads, width})};
    const auto cut = [&](std::int64_t part) { return transpose(select(leaves[0], 2, part), 1, 2); };
    y = scaled_dot_product_attention(cut(0), cut(1), cut(2), options);
  } else {
    leaves = {values(c.q), values(c.k), values(c.k)};
    y = scaled_dot_product_attention(leaves[0], leaves[1], leaves[2], options);
  }
  sum(y.to(float32) * y.to(float32)).backward();
  results = {y.detach().to(Device::cpu()).to(float32)};
  for (const Tensor& leaf : leaves) results.push_back(leaf.grad().to(Device::cpu()).to(float32));
  return results;
}

std::int64_t runs() { return simulated::calls("flash_attention") + simulated::calls("flash_attention_backward"); }

/// Runs by cuDNN, both ways, with the CPU's results.
void expect_by_cudnn(const Call& c) {
  const std::int64_t before = runs();
  const std::vector<Tensor> got = attend(c, gpu), expected = attend(c, Device::cpu());
  EXPECT_EQ(runs() - before, 2) << str(c.q, " ") << cudnn::usage().refusal;
  for (std::size_t i = 0; i < got.size(); ++i)
    EXPECT_TRUE(is_close(got[i], expected[i], 0.02)) << str(c.q, " ") << " result " << i;
}

TEST_F(CudnnAttention, OfAnyRankIsTheCpus) {
  for (const Shape& leading : {Shape{}, Shape{3}, Shape{2, 3}, Shape{2, 2, 3}}) {
    Shape q = leading, k = leading;
    q.push_back(5), q.push_back(8), k.push_back(7), k.push_back(8);
    expect_by_cudnn({q, k});
    expect_by_cudnn({q, k, true});
  }
}

TEST_F(CudnnAttention, OfPackedHeadsIsTheCpus) {
  for (const std::int64_t batch : {1, 2}) {
    expect_by_cudnn({.q = {batch, 3, 6, 16}, .k = {}, .causal = true, .packed = true});
    expect_by_cudnn({.q = {batch, 1, 6, 8}, .k = {}, .packed = true});
  }
}

TEST_F(CudnnAttention, OfGroupedHeadsIsTheCpus) {
  expect_by_cudnn({.q = {2, 6, 5, 8}, .k = {2, 2, 5, 8}, .causal = true, .grouped = true});
  expect_by_cudnn({.q = {1, 4, 1, 8}, .k = {1, 1, 9, 8}, .grouped = true});
}

TEST_F(CudnnAttention, WithMasksIsTheCpus) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Tensor keys = arange(7), queries = reshape(arange(5), {5, 1});
  const Tensor band = keys <= queries + 1, padding = reshape(keys < reshape(7 - arange(2) * 3, {2, 1}), {2, 1, 1, 7});
  RandomGenerator generator(3);
  const Tensor masks[] = {band, padding, randn({2, 3, 5, 7}, {}, &generator),
                          where(band, zeros({5, 7}), full({5, 7}, -infinity)),
                          randn({3, 1, 7}, {}, &generator).to(float16)};
  for (const Tensor& mask : masks)
    for (const bool causal : {false, true})
      expect_by_cudnn({.q = {2, 3, 5, 8}, .k = {2, 3, 7, 8}, .causal = causal, .mask = mask});
}

TEST_F(CudnnAttention, AQueryThatSeesNoKeyGivesZerosAndNoGradient) {
  const Tensor mask = remainder(reshape(arange(5), {5, 1}), 3) != Scalar(0);
  expect_by_cudnn({.q = {2, 3, 5, 8}, .k = {2, 3, 7, 8}, .mask = mask});
}

TEST_F(CudnnAttention, DropsWeightsByItself) {
  const Call c{.q = {2, 2, 24, 16}, .k = {2, 2, 32, 16}, .dropout = 0.3};
  const std::int64_t before = runs();
  const std::vector<Tensor> first = attend(c, gpu), again = attend(c, gpu);
  EXPECT_EQ(runs() - before, 4) << cudnn::usage().refusal;
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_TRUE(identical(first[i], again[i])) << "the generator decides";
  // y is linear in v, and half of the gradient of Σ y² is the product with y: Σ y² = Σ v · dv / 2 for one choice.
  RandomGenerator generator(5);
  randn(c.q, {}, &generator), randn(c.k, {}, &generator);
  const Tensor v = randn(c.k, {}, &generator).to(float16).to(float32);
  const float squares = sum(first[0] * first[0]).item<float>();
  EXPECT_NEAR(sum(v * first[3]).item<float>() / 2, squares, 0.01 * squares);
}

TEST_F(CudnnAttention, DropsTheCpusWeightsIfDeterministic) {
  deterministic(true);
  const Call c{.q = {2, 2, 9, 8}, .k = {2, 2, 7, 8}, .dropout = 0.3};
  const std::int64_t before = runs();
  const std::vector<Tensor> got = attend(c, gpu), expected = attend(c, Device::cpu());
  EXPECT_EQ(runs(), before);
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_TRUE(is_close(got[i], expected[i], 0.02)) << i;
}

TEST_F(CudnnAttention, AGraphOfTheGradientNeedsRepeatableDropout) {
  const auto leaf = [] { return randn({1, 2, 4, 8}).to(float16).to(gpu).requires_grad(true); };
  const Tensor q = leaf(), k = leaf(), v = leaf();
  const Tensor y = scaled_dot_product_attention(q, k, v, {.dropout = 0.5});
  EXPECT_THROW(grad({sum(y)}, {q}, {}, {.create_graph = true}), Error);
  const Tensor mask = zeros({4, 4}, {.dtype = float16, .device = gpu}).requires_grad(true);
  const std::int64_t before = runs();
  sum(scaled_dot_product_attention(q, k, v, {.mask = mask, .dropout = 0.5})).backward();
  EXPECT_EQ(runs(), before) << "the mask's gradient stores the weights";
}

TEST_F(CudnnAttention, DropoutWhoseGradientIsRefusedIsMinimas) {
  const Call c{.q = {1, 1, 1, 8}, .k = {1, 1, 1, 8}, .dropout = 0.3};
  const std::int64_t before = runs();
  const std::vector<Tensor> got = attend(c, gpu), expected = attend(c, Device::cpu());
  EXPECT_EQ(runs(), before);
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_TRUE(is_close(got[i], expected[i], 0.02)) << i;
  EXPECT_NE(cudnn::usage().refusal.find("s_q = s_kv = 1"), std::string::npos) << cudnn::usage().refusal;
}

const double lowest = std::numeric_limits<float>::lowest();

/// A mask of the lowest number hides a key only from queries that see others. In half types the rest see their keys as
/// without a mask: their gradients would be too large by the number of keys if the mask swallowed the scores.
TEST_F(CudnnAttention, AQueryWhoseKeysAllHaveTheLowestMaskSeesThem) {
  const Tensor mask = where(reshape(arange(5), {5, 1}) == arange(7), zeros({5, 7}), full({5, 7}, lowest));
  expect_by_cudnn({.q = {2, 3, 5, 8}, .k = {2, 3, 7, 8}, .mask = mask});
  for (const std::int64_t width : {8, 5}) {  // cuDNN's attention and minima's
    const Shape q = {2, 3, 5, width}, k = {2, 3, 7, width};
    const std::int64_t before = runs();
    const std::vector<Tensor> got = attend({.q = q, .k = k, .mask = full({5, 7}, lowest)}, gpu);
    EXPECT_EQ(runs() - before, width == 8 ? 2 : 0);
    const std::vector<Tensor> expected = attend({.q = q, .k = k}, Device::cpu());
    for (std::size_t i = 0; i < got.size(); ++i) EXPECT_TRUE(is_close(got[i], expected[i], 0.02)) << width << " " << i;
  }
}

TEST_F(CudnnAttention, AQueryWhoseKeysAllHaveTheLowestMaskSeesThemAlikeInFloats) {
  for (const double level : {lowest, -1e30, -1e4})
    for (const DType dtype : {float32, float64}) {
      const Tensor mask = where(reshape(arange(40) < 20, {40, 1}), full({40, 90}, level), 0.0);
      const Call c{.q = {2, 3, 40, 8}, .k = {2, 3, 90, 8}, .mask = mask, .dtype = dtype};
      const std::vector<Tensor> got = attend(c, gpu), expected = attend(c, Device::cpu());
      for (std::size_t i = 0; i < got.size(); ++i)
        EXPECT_TRUE(is_close(got[i], expected[i], 1e-4)) << level << " " << name(dtype) << " " << i;
    }
}

}  // namespace
}  // namespace minima::attention_operator_test
