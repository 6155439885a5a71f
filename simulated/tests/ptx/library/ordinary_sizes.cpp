#include "tests/support/device.h"

#include <minima/amp/grad_scaler.h>
#include <minima/autograd/backward.h>
#include <minima/data/transforms/batch.h>
#include <minima/data/transforms/on_batch/on_batch.h>
#include <minima/ops/ops.h>
#include <minima/optim/elementwise/adam.h>
#include <minima/optim/gradient/clip.h>
#include <minima/tensor/cuda/bytes.h>
#include <minima/tensor/device/stream.h>
#include <minima/tensor/random/generator.h>

#include "simulated/simulation.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

// Every kernel on inputs of the sizes that training has, a few rows of a batch: GPT-2's width and ResNet's images.
// CTest holds what they waste against limits.txt.

namespace minima::test::ordinary_sizes {
namespace {

constexpr Device gpu = Device::cuda();
constexpr std::int64_t tokens = 256, width = 768, vocabulary = 5000;

Tensor random(const Shape& shape, DType dtype) { return randn(shape, {.dtype = dtype, .device = gpu}); }
Tensor variable(const Shape& shape, DType dtype) { return random(shape, dtype).requires_grad(true); }
Tensor indices(const Shape& shape, std::int64_t below) {
  return randint(0, below, shape, {.dtype = int64, .device = gpu});
}

class OrdinarySizes : public testing::TestWithParam<DType> {
 protected:
  void SetUp() override {
    SKIP_WITHOUT_TEST_DEVICE();
    manual_seed(1);
  }
  void TearDown() override { EXPECT_NO_THROW(synchronize(gpu)); }
  Tensor random(const Shape& shape) const { return ordinary_sizes::random(shape, GetParam()); }
  Tensor variable(const Shape& shape) const { return ordinary_sizes::variable(shape, GetParam()); }
};

TEST_P(OrdinarySizes, OfATransformer) {
  const Tensor table = variable({vocabulary, width}), weight = variable({width}), bias = variable({width});
  const Tensor x = embedding(table, indices({tokens}, vocabulary));
  const Tensor y = dropout(gelu(layer_norm(x, {width}, weight, bias)) + bias, 0.1);
  sum(y).backward();
  const Tensor scores = variable({4, 128, 128});
  sum(softmax(scores, -1) * scores).backward();
  const Tensor logits = variable({64, vocabulary});
  const Tensor targets = indices({64}, vocabulary);
  cross_entropy(logits, targets).backward();
  sum(grad({cross_entropy(logits, targets)}, {logits}, {}, {.create_graph = true})[0]).backward();
  const Tensor hidden = variable({64, width}), output = variable({vocabulary, width});
  linear_cross_entropy(hidden, output, {}, targets).backward();
  const Tensor heads = variable({1, 2, 128, 64});
  const Tensor mask = random({128, 128}) > 0;
  sum(scaled_dot_product_attention(heads, heads, heads, {.mask = mask})).backward();
  scaled_dot_product_attention(heads, heads, heads, {.mask = mask, .dropout = 0.1});
}

TEST_P(OrdinarySizes, OfImages) {
  const Tensor x = variable({4, 64, 28, 28});
  const Tensor weight = variable({64}), bias = variable({64});
  const Tensor mean = zeros({64}, {.dtype = GetParam(), .device = gpu}),
               var = ones({64}, {.dtype = GetParam(), .device = gpu});
  sum(batch_norm(x, weight, bias, mean, var, {.training = true})).backward();
  const Tensor y = max_pool2d(x, {.kernel = 3, .stride = 2, .padding = 1});
  sum(grad({sum(y)}, {x}, {}, {.create_graph = true})[0] * x).backward();
  sum(avg_pool2d(x, {.kernel = 2})).backward();
  sum(interpolate(x, {.scale = {2}, .mode = InterpolateMode::linear})).backward();
  pad(x, {1, 1, 1, 1});
  contiguous(flip(x, {3}));
  roll(x, 3, 3);
  sum(softmax(x, 1)).backward();
  for (const char* engine : {"prepare implicit_gemm", "prepare direct"}) simulated::fail_call(engine, 1, 3000);
  sum(conv2d(variable({1, 16, 28, 28}), variable({16, 16, 3, 3}), {}, {.padding = 1})).backward();
  const Tensor photographs = randint(0, 255, {4, 64, 64, 3}, {.dtype = uint8, .device = gpu});
  data::normalize_images(photographs, data::imagenet_mean, data::imagenet_std, GetParam());
  data::RandomStream draws(1);
  data::on_batch(data::RandAugment{.operations = 1})(photographs, draws);
}

TEST_P(OrdinarySizes, OfLines) {
  const Tensor x = random({tokens, width});
  sum(x), sum(x, {0}), sum(x, {1}), amax(x, {1}), argmax(x, 0), var(x, {0}), cumsum(x, 1), cumsum(x, 0);
  cumsum(random({100'000}), 0);
  contiguous(transpose(x, 0, 1)) + x.size(0);
  x + transpose(random({width, tokens}), 0, 1);
  sum(softmax(variable({2, 50'000}), 1)).backward();
  tril(x), nonzero(x > 1), sort(x, 1), topk(x, 384, 1), gather(x, 1, indices({tokens, width}, width));
  searchsorted(cumsum(rand({1000}, {.dtype = float32, .device = gpu}), 0), rand({50'000}, {.device = gpu}));
  scatter_add(x, 0, indices({tokens, width}, tokens), x);
  index(x, {indices({tokens}, tokens)});
  sum(index_select(variable({tokens, width}), 0, indices({tokens}, tokens))).backward();
  sum(as_strided(variable({50'000}), {{5000, 16}, {8, 1}, 0})).backward();  // windows that overlap
}

TEST_P(OrdinarySizes, OfOptimizers) {
  if (GetParam() == float16) return;
  std::vector<Tensor> parameters;
  for (const Shape& shape : {Shape{width, width}, Shape{width}, Shape{64, 64, 3, 3}})
    parameters.push_back(variable(shape));
  for (const Tensor& parameter : parameters) parameter.set_grad(random(parameter.shape()));
  optim::AdamW optimizer(parameters, {});
  optim::clip_grad_norm_(parameters, 1);
  optimizer.step();
  if (GetParam() != float32) return;
  amp::GradScaler scaler;
  scaler.scale(sum(parameters[1])).backward();
  scaler.step(optimizer);
  scaler.update();
  const Tensor text = full({100'000}, 7, {.dtype = uint8, .device = gpu}),
               first = full({1}, 100'000, {.dtype = int64, .device = gpu});
  cuda::find_foreign_byte(text.raw_data(), 100'000, 7, static_cast<unsigned long long*>(first.raw_data()));
}

INSTANTIATE_TEST_SUITE_P(DTypes, OrdinarySizes, testing::Values(float32, bfloat16));

}  // namespace
}  // namespace minima::test::ordinary_sizes
