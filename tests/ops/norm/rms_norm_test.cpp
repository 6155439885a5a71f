#include "tests/ops/checks/op_cases.h"

#include <minima/amp/autocast.h>
#include <minima/autograd/backward.h>
#include <minima/nn/norm/rms_norm.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/creation/random.h>
#include <minima/ops/norm/rms_norm.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/random/generator.h>

#include <gtest/gtest.h>

#include <cmath>

namespace minima::rms_norm_test {
namespace {

using namespace test;

[[maybe_unused]] const bool rms_norm_cases =
    OpCases("rms_norm")
        .optional_input(1)
        .tolerance(4)
        .on([](In in) { return rms_norm(in[0], in[0].defined() ? Shape{in[0].size(-1)} : Shape{1}, in[1]); },
            [](const std::vector<Doubles>& in) {
              Doubles y = in[0];
              const auto n = static_cast<std::size_t>(in[0].shape[in[0].shape.rank() - 1]);
              for (std::size_t start = 0; n > 0 && start < y.values.size(); start += n) {
                double square = 0;
                for (std::size_t i = 0; i < n; ++i)
                  square += y.values[start + i] * y.values[start + i] / static_cast<double>(n);
                for (std::size_t i = 0; i < n; ++i)
                  y.values[start + i] *= (in[1].values.empty() ? 1 : in[1].values[i]) / std::sqrt(square + 1e-6);
              }
              return y;
            })
        .inputs(normal({3, 4}), normal({4}))
        .inputs(normal({2, 2, 5}), normal({5}))
        .inputs(normal({0, 4}), normal({4}))
        .inputs(normal({300, 200}), normal({200}))
        .huge([](auto v) { rms_norm(ones({2, 3, 4}), {v}); })
        .recorded("rms_norm", "lambda x, w: F.rms_norm(x, (4,), w, 1e-6)",
                  [](In in) { return rms_norm(in[0], {4}, in[1]); })
        .error<ShapeError>([] { rms_norm(empty({2, 3}), {2}); },
                           "rms_norm: x float32 [2, 3] must end in normalized_shape [2], of at least one dimension")
        .error<DTypeError>([] { rms_norm(zeros({2, 3}, {.dtype = DType::int64}), {3}); },
                           "rms_norm: x must be floating, got int64 [2, 3]; convert it with to()")
        .error<ShapeError>([] { rms_norm(empty({2, 3}), {3}, empty({2})); },
                           "rms_norm: weight must have normalized_shape [3], got float32 [2]")
        .error<DTypeError>([] { rms_norm(empty({2, 3}), {3}, zeros({3}, {.dtype = DType::int64})); },
                           "rms_norm: weight must be floating, got int64 [3]; convert it with to()")
        .error<ShapeError>([] { rms_norm(empty({3}), {}); },
                           "rms_norm: x float32 [3] must end in normalized_shape [], of at least one dimension")
        .check();

/// {x + residual, normalized} over rows of n elements.
auto reference(std::size_t n) {
  return [=](const std::vector<Doubles>& in) {
    std::vector<Doubles> out{in[0], in[0]};
    Doubles &sum = out[0], &y = out[1];
    for (std::size_t i = 0; i < sum.values.size(); ++i) sum.values[i] += in[1].values[i];
    for (std::size_t first = 0; first < sum.values.size(); first += n) {
      double square = 0;
      for (std::size_t i = 0; i < n; ++i) square += sum.values[first + i] * sum.values[first + i];
      for (std::size_t i = 0; i < n; ++i) {
        y.values[first + i] = sum.values[first + i] / std::sqrt(square / static_cast<double>(n) + 1e-6);
        if (in.size() > 2 && !in[2].values.empty()) y.values[first + i] *= in[2].values[i];
      }
    }
    return out;
  };
}

std::vector<Tensor> both(SumAndNorm result) { return {result.sum, result.normalized}; }

[[maybe_unused]] const bool cases =
    OpCases("add_rms_norm")
        .autocast("float32")
        .result_layout(ResultLayout::row_major)
        .tolerance(6)
        .gradient_cancels()
        .optional_input(2)
        .on([](In in) { return both(add_rms_norm(in[0], in[1], {7}, in[2])); }, reference(7), "{7}")
        .inputs(normal({4, 7}), normal({4, 7}), normal({7}))
        .inputs(normal({1, 7}), normal({1, 7}), normal({7}))
        .inputs(normal({0, 7}), normal({0, 7}), normal({7}))
        .on([](In in) { return both(add_rms_norm(in[0], in[1], {500}, in[2])); }, reference(500), "{500}")
        .inputs(normal({40, 500}), normal({40, 500}), normal({500}))
        .on([](In in) { return both(add_rms_norm(in[0], in[1], {5})); }, reference(5), "plain")
        .inputs(normal({2, 3, 5}), normal({2, 3, 5}))
        .huge([](auto v) { add_rms_norm(ones({2, 3, 4}), ones({2, 3, 4}), {v}); })
        .error<ShapeError>([] { add_rms_norm(zeros({2, 3}), zeros({2, 3}), {4}); },
                           "add_rms_norm: x float32 [2, 3] must end in normalized_shape [4], of at least one dimension")
        .error<ShapeError>([] { add_rms_norm(zeros({2, 3}), zeros({3}), {3}); },
                           "add_rms_norm: x and residual must have the same shape, got float32 [2, 3] and float32 [3]")
        .error<ShapeError>([] { add_rms_norm(zeros({2, 3}), zeros({2, 3}), {3}, zeros({2})); },
                           "add_rms_norm: weight must have normalized_shape [3], got float32 [2]")
        .error<DTypeError>(
            [] { add_rms_norm(empty({2, 3}), empty({2, 3}, {.dtype = DType::float64}), {3}); },
            "add_rms_norm: x and residual must have one floating dtype, or x a half type and residual float32, got "
            "float32 [2, 3] and float64 [2, 3]")
        .check();

TEST(AddRmsNorm, EqualsTheTwoStepsAndSoDoGradientsOfEitherResult) {
  RandomGenerator numbers(1);
  const auto draw = [&](const Shape& shape) { return randn(shape, {.dtype = float64}, &numbers); };
  const Tensor x = draw({6, 9}).requires_grad(true), r = draw({6, 9}).requires_grad(true);
  const Tensor w = draw({9}).requires_grad(true);
  const auto fused = add_rms_norm(x, r, {9}, w);
  const Tensor sum = x + r, normalized = rms_norm(sum, {9}, w);
  EXPECT_TRUE(allclose(fused.sum.detach(), sum.detach()));
  EXPECT_TRUE(allclose(fused.normalized.detach(), normalized.detach()));
  const Tensor gs = draw({6, 9}), gn = draw({6, 9});
  const auto compare = [&](const std::vector<Tensor>& ys, const std::vector<Tensor>& zs,
                           const std::vector<Tensor>& gs) {
    const auto a = grad(ys, {x, r}, gs, {.retain_graph = true}), c = grad(zs, {x, r}, gs, {.retain_graph = true});
    for (std::size_t i = 0; i < 2; ++i) EXPECT_TRUE(allclose(a[i], c[i])) << allclose(a[i], c[i]).message;
  };
  compare({fused.sum}, {sum}, {gs});
  compare({fused.normalized}, {normalized}, {gn});
  compare({fused.sum, fused.normalized}, {sum, normalized}, {gs, gn});
}

TEST(AddRmsNorm, UnderAutocastTheStreamIsFloat32AndTheNormKeepsTheBranchsDtype) {
  const Tensor x = randn({3, 8}).to(bfloat16).requires_grad(true), h = randn({3, 8}).requires_grad(true);
  const amp::Autocast guard(DeviceType::cpu);
  const auto [sum, normalized] = nn::RMSNorm({.shape = {8}}).add(x, h);
  EXPECT_EQ(sum.dtype(), float32);
  EXPECT_EQ(normalized.dtype(), bfloat16);
  const auto gradients = grad({sum, normalized}, {x, h}, {ones({3, 8}), ones({3, 8}, {.dtype = bfloat16})});
  EXPECT_EQ(gradients[0].dtype(), bfloat16);
  EXPECT_EQ(gradients[1].dtype(), float32);
  EXPECT_TRUE(allclose(gradients[0].to(float32), gradients[1], {0.01, 0.01}));
}

}  // namespace
}  // namespace minima::rms_norm_test
