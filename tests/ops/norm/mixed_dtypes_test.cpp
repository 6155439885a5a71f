#include "tests/support/compare.h"
#include "tests/support/gpu_test.h"

#include <minima/amp/autocast.h>
#include <minima/autograd/backward.h>
#include <minima/autograd/hooks.h>
#include <minima/ops/ops.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <functional>

// A float32 stream with branches in half types: what a residual connection under autocast consists of. And gradients
// of a stream that a norm adds to those which came another way.

namespace minima::mixed_dtypes_test {
namespace {

using Tensors = std::vector<Tensor>;

class GpuMixedLayerNorm : public test::GpuTest {};

/// Inputs x and residual [rows, n], weight and bias [n], and gradients of both results.
struct Inputs {
  Tensor x, residual, weight, bias, of_sum, of_normalized;
};

Inputs inputs_of(std::int64_t rows, std::int64_t n, DType half, Device device) {
  RandomGenerator numbers(n);
  const auto draw = [&](const Shape& shape, DType dtype) { return randn(shape, {}, &numbers).to(dtype).to(device); };
  return {.x = draw({rows, n}, half).requires_grad(true),
          .residual = draw({rows, n}, float32).requires_grad(true),
          .weight = draw({n}, float32).requires_grad(true),
          .bias = draw({n}, float32).requires_grad(true),
          .of_sum = draw({rows, n}, float32),
          .of_normalized = draw({rows, n}, half)};
}

/// Both results and the gradients of the four inputs, on the CPU in float64, as computed from inputs of the dtypes that
/// `as` gives them.
Tensors results_of(const Inputs& in, std::int64_t n, const std::function<Tensor(const Tensor&)>& as) {
  const Tensors leaves{as(in.x), as(in.residual), as(in.weight), as(in.bias)};
  const auto [sum, normalized] = add_layer_norm(leaves[0], leaves[1], {n}, leaves[2], leaves[3]);
  Tensors all{sum.detach(), normalized.detach()};
  const Tensors gradients = grad({sum, normalized}, leaves, {as(in.of_sum).detach(), as(in.of_normalized).detach()});
  all.insert(all.end(), gradients.begin(), gradients.end());
  for (Tensor& x : all) x = x.to(Device::cpu(), float64);
  return all;
}

void expect_float64_results(Device device) {
  for (const DType half : {bfloat16, float16})
    for (const std::int64_t n : {1, 7, 40, 512, 768, 5000}) {
      const Inputs in = inputs_of(n > 1000 ? 3 : 70, n, half, device);
      const Tensors mixed = results_of(in, n, [](const Tensor& x) { return x; });
      const Tensors exact =
          results_of(in, n, [](const Tensor& x) { return x.detach().to(Device::cpu(), float64).requires_grad(true); });
      // sum and residual's gradient in float32; normalized and x's gradient rounded once
      const double rounding = half == bfloat16 ? 1. / 256 : 1. / 2048;
      const double tolerances[] = {1e-6, rounding, rounding, 2e-5, 2e-5, 2e-5};
      for (std::size_t i = 0; i < exact.size(); ++i) {
        const Closeness close = allclose(mixed[i], exact[i], {tolerances[i], 2e-5 + 1e-3 * tolerances[i]});
        EXPECT_TRUE(close || n == 1) << "n = " << n << ", result " << i << ": " << close.message;
      }
    }
}

TEST(MixedLayerNorm, RoundsOnlyWhatHasAHalfType) { expect_float64_results(Device::cpu()); }
TEST_F(GpuMixedLayerNorm, RoundsOnlyWhatHasAHalfType) { expect_float64_results(Device::cuda()); }

TEST(MixedLayerNorm, KeepsTheDtypesOfStreamAndBranch) {
  const Inputs in = inputs_of(4, 8, bfloat16, Device::cpu());
  const auto [sum, normalized] = add_layer_norm(in.x, in.residual, {8}, in.weight, in.bias);
  EXPECT_EQ(sum.dtype(), float32);
  EXPECT_EQ(normalized.dtype(), bfloat16);
  const Tensors gradients = grad({sum, normalized}, {in.x, in.residual}, {in.of_sum, in.of_normalized});
  EXPECT_EQ(gradients[0].dtype(), bfloat16);
  EXPECT_EQ(gradients[1].dtype(), float32);
  EXPECT_THROW(add_layer_norm(in.residual, in.x, {8}), DTypeError) << "the stream is the wide one";
}

TEST(MixedLayerNorm, GivesGradientsOfOneInputAlone) {
  for (const int wanted : {0, 1}) {
    const Inputs in = inputs_of(5, 16, bfloat16, Device::cpu());
    const auto [sum, normalized] = add_layer_norm(in.x, in.residual, {16}, in.weight, in.bias);
    const Tensor leaf = wanted == 0 ? in.x : in.residual;
    const Tensor both = grad({sum, normalized}, {in.x, in.residual}, {in.of_sum, in.of_normalized},
                             {.retain_graph = true})[static_cast<std::size_t>(wanted)];
    const Tensor alone = grad({sum, normalized}, {leaf}, {in.of_sum, in.of_normalized})[0];
    EXPECT_TRUE(test::compare_bitwise(alone, both));
  }
}

TEST(MixedLayerNorm, UnderAutocastTheStreamIsFloat32) {
  const Tensor x = randn({3, 8}).to(bfloat16), h = randn({3, 8}).to(bfloat16);
  const amp::Autocast guard(DeviceType::cpu);
  const auto [sum, normalized] = add_layer_norm(x, h, {8});
  EXPECT_EQ(sum.dtype(), float32);
  EXPECT_EQ(normalized.dtype(), bfloat16);
}

TEST(MixedLayerNorm, LowerGivesAutocastsDtype) {
  const Tensor x = randn({3, 8}).requires_grad(true), w = ones({8}), b = zeros({8});
  EXPECT_EQ(layer_norm(x, {8}, w, b, 1e-5, true).dtype(), float32);
  const Tensor expected = layer_norm(x.detach(), {8}, w, b).to(float16);
  const amp::Autocast guard(DeviceType::cpu, {.dtype = float16});
  EXPECT_EQ(layer_norm(x, {8}, w, b).dtype(), float32);
  const Tensor y = layer_norm(x, {8}, w, b, 1e-5, true);
  EXPECT_TRUE(test::compare_bitwise(y.detach(), expected));
  y.backward(ones({3, 8}, {.dtype = float16}));
  EXPECT_EQ(x.grad().dtype(), float32);
  EXPECT_EQ(layer_norm(x.detach().to(float64), {8}, {}, {}, 1e-5, true).dtype(), float64);
}

/// d/dx of Σ (x·a + norm(x·a)), where the product's gradient comes from both.
void expect_sums_of_both_ways(Device device, const std::function<Tensor(const Tensor&)>& norm) {
  const Tensor a = full({}, 1.5, {.device = device});
  const auto gradient_of = [&](bool apart) {
    RandomGenerator numbers(3);
    const Tensor x = randn({9, 40}, {}, &numbers).to(device).requires_grad(true);
    const Tensor g = randn({9, 40}, {}, &numbers).to(device);
    const Tensor h = x * a, other = apart ? x * a : h;
    (h + norm(other)).backward(g);
    return x.grad().to(Device::cpu());
  };
  const Closeness close = allclose(gradient_of(false), gradient_of(true), {1e-6, 1e-6});
  EXPECT_TRUE(close) << close.message;
}

void expect_sums_of_both_ways(Device device) {
  expect_sums_of_both_ways(device, [](const Tensor& x) { return layer_norm(x, {40}); });
  expect_sums_of_both_ways(device, [](const Tensor& x) { return rms_norm(x, {40}); });
  expect_sums_of_both_ways(device, [](const Tensor& x) { return layer_norm(layer_norm(x, {40}) + x, {40}); });
}

TEST(StreamGradients, OfANormAreAddedToTheOthers) { expect_sums_of_both_ways(Device::cpu()); }
TEST_F(GpuMixedLayerNorm, AddsItsGradientToTheOthers) { expect_sums_of_both_ways(Device::cuda()); }

TEST(StreamGradients, StayApartForHooks) {
  const Tensor x = randn({4, 8}).requires_grad(true), g = randn({4, 8});
  const Tensor h = x * 2.0, y = layer_norm(h, {8});
  const Tensor own = grad({y}, {h}, {g}, {.retain_graph = true})[0];
  Tensor seen;
  register_backward_hook(y, [&](Tensors& gradients) { seen = gradients[0]; });
  backward({h, y}, {g, g});
  EXPECT_TRUE(test::compare_bitwise(seen, own));
}

TEST(StreamGradients, RepeatWithARetainedGraph) {
  const Tensor x = randn({4, 8}).requires_grad(true), g = randn({4, 8});
  const Tensor h = x * 2.0, y = h + layer_norm(h, {8});
  y.backward(g, true);
  const Tensor once = clone(x.grad());
  x.zero_grad();
  y.backward(g);
  EXPECT_TRUE(test::compare_bitwise(x.grad(), once));
}

TEST_F(GpuMixedLayerNorm, SumsOfFloat32AndAHalfTypeAreThoseOfTheCpu) {
  for (const DType half : {bfloat16, float16})
    for (const std::int64_t n : {1, 8, 1003}) {
      const Tensor a = randn({3, n}), b = randn({3, n}).to(half), c = randn({n}).to(half);
      const auto there = [](const Tensor& x) { return x.to(Device::cuda()); };
      EXPECT_TRUE(test::compare_bitwise((there(a) + there(b)).to(Device::cpu()), a + b));
      EXPECT_TRUE(test::compare_bitwise((there(b) + there(a)).to(Device::cpu()), b + a));
      EXPECT_TRUE(test::compare_bitwise((there(a) + there(c)).to(Device::cpu()), a + c));
    }
}

}  // namespace
}  // namespace minima::mixed_dtypes_test
